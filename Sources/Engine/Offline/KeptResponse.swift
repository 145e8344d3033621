import Bytes
import HTTP
import Profiles
import Rewriting

/// A good response of an origin, as it came, for when the origin cannot be reached.
final class KeptResponse: Sendable {
    /// The origin that sent it, under the trust policy that it was judged by.
    let origin: OriginAddress
    /// It has the head alone, as the response to a HEAD.
    let isHead: Bool
    let head: Head
    let body: [UInt8]
    /// In seconds since 1970.
    private let receivedAt: Int64

    struct Head: Sendable {
        /// With the line's end.
        let statusLine: [UInt8]
        /// Field lines with their ends, without hop-by-hop fields (RFC 9110, 7.6.1), Age and Set-Cookie.
        var fields: [UInt8]
        let hasContent: Bool
        var facts: Facts
        /// What the request said in the fields that Vary names.
        var varied: [VariedField]
    }

    /// What the fields of a response say about keeping it.
    struct Facts: Sendable {
        /// The entity tag without the mark of a weak one.
        var validators: Validators
        /// Seconds that it had spent in caches before.
        var age: Int64
        /// It does not depend on credentials; nil without Cache-Control.
        var isPublic: Bool?
    }

    struct VariedField: Equatable, Sendable {
        let name: String
        let values: [String]
    }

    init(_ origin: OriginAddress, isHead: Bool, _ head: Head, body: [UInt8], at time: Int64) {
        (self.origin, self.isHead, self.head, self.body, receivedAt) = (origin, isHead, head, body, time)
    }

    var isPublic: Bool { head.facts.isPublic ?? false }

    /// Of memory.
    var size: Int { body.count + head.fields.count + 512 }

    /// Seconds since the origin made it (RFC 9111 4.2.3).
    func age(now: Int64) -> Int64 { head.facts.age + max(0, now - receivedAt) }

    /// The message as an origin would send it in response to this request, 304 where the client has it already.
    func message(to request: borrowing RequestHead, _ bytes: Span<UInt8>, age: Int64, _ cache: CacheRules?) -> [UInt8] {
        let validators = head.facts.validators
        let isKnown = (cache?.marked(validators) ?? validators).evaluate(request, bytes) == .notModified
        var message = isKnown ? Array("HTTP/1.1 304 Not Modified\r\n".utf8) : head.statusLine
        message.reserveCapacity(head.fields.count + body.count + 128)
        message += head.fields
        message += "Age: \(age)\r\nConnection: close\r\n".utf8
        if head.hasContent, !isKnown, !isHead { message += "Content-Length: \(body.count)\r\n".utf8 }
        message += "\r\n".utf8
        if !isKnown, request.method != .head { message += body }
        return message
    }
}

// An origin says by 304 that what was kept is what it would send (RFC 9111 4.3.4).
extension KeptResponse {
    /// What a 304 says about the response that it stands for.
    struct Renewal {
        /// Its field lines, without those that describe a body.
        let fields: [UInt8]
        let facts: Facts
        /// Of the request, if the 304 has Vary.
        let varied: [VariedField]?
    }

    /// Whether a 304 is about this response: both have the same validator, the entity tag before the time.
    func isMeant(by renewal: Renewal) -> Bool {
        let (own, other) = (head.facts.validators, renewal.facts.validators)
        if !other.entityTag.isEmpty { return other.entityTag == own.entityTag }
        return other.lastModified != .max && other.lastModified == own.lastModified
    }

    /// The same response as of `time`, with the fields of the 304 in the place of its own of these names.
    func renewed(by renewal: Renewal, at time: Int64) -> KeptResponse {
        let names = Set(Self.lines(renewal.fields).map(Self.name))
        var head = head
        head.fields =
            Self.lines(head.fields).filter { !names.contains(Self.name($0)) }.flatMap { $0 } + renewal.fields
        head.facts.age = renewal.facts.age
        head.facts.isPublic = renewal.facts.isPublic ?? head.facts.isPublic
        head.varied = renewal.varied ?? head.varied
        return KeptResponse(origin, isHead: isHead, head, body: body, at: time)
    }

    /// With their ends.
    private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.split(separator: UInt8(ascii: "\n")).map { bytes[$0.startIndex...$0.endIndex] }
    }

    private static func name(_ line: ArraySlice<UInt8>) -> String {
        String(decoding: line.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self).lowercased()
    }
}
