import HTTP
import Profiles
import Rewriting

/// A good response of an origin, as it came, for when the origin cannot be reached.
final class KeptResponse: Sendable {
    /// The origin that sent it, under the trust policy that it was judged by.
    let origin: OriginAddress
    /// It has the head alone, as the response to a HEAD.
    let isHead: Bool
    /// With the line's end.
    let statusLine: [UInt8]
    /// Field lines with their ends; without those of one connection, Age and Set-Cookie.
    let fields: [UInt8]
    let body: [UInt8]
    let hasContent: Bool
    let validators: Validators
    /// It does not depend on credentials.
    let isPublic: Bool
    /// Seconds that it had spent in caches before.
    private let age: Int64
    /// In seconds since 1970.
    private let receivedAt: Int64
    /// What the request said in the fields that Vary names.
    let varied: [VariedField]

    struct VariedField: Equatable, Sendable {
        let name: String
        let values: [String]
    }

    init(
        _ origin: OriginAddress, isHead: Bool, statusLine: [UInt8], fields: [UInt8], body: [UInt8], hasContent: Bool,
        validators: Validators, age: Int64, at time: Int64, varied: [VariedField], isPublic: Bool
    ) {
        self.origin = origin
        self.isHead = isHead
        self.statusLine = statusLine
        self.fields = fields
        self.body = body
        self.hasContent = hasContent
        self.validators = validators
        self.age = age
        self.varied = varied
        self.isPublic = isPublic
        receivedAt = time
    }

    /// Of memory.
    var size: Int { body.count + fields.count + 512 }

    /// Seconds since the origin made it (RFC 9111 4.2.3).
    func age(now: Int64) -> Int64 { age + max(0, now - receivedAt) }

    /// The message as an origin would send it in response to this request, 304 where the client has it already.
    func message(to request: borrowing RequestHead, _ head: Span<UInt8>, age: Int64, _ cache: CacheRules?) -> [UInt8] {
        let isKnown = (cache?.marked(validators) ?? validators).evaluate(request, head) == .notModified
        var message = isKnown ? Array("HTTP/1.1 304 Not Modified\r\n".utf8) : statusLine
        message.reserveCapacity(fields.count + body.count + 128)
        message += fields
        message += "Age: \(age)\r\nConnection: close\r\n".utf8
        if hasContent, !isKnown, !isHead { message += "Content-Length: \(body.count)\r\n".utf8 }
        message += "\r\n".utf8
        if !isKnown, request.method != .head { message += body }
        return message
    }
}
