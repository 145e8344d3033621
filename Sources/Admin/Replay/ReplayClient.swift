import HTTP
public import Inspection
import Platform
import Reactor
import TLS

/// The response.
public struct ReplayedResponse: Sendable {
    public let status: Int
    public let head: [UInt8]
    public let body: [UInt8]
    /// It is longer than the compared part.
    public let isCut: Bool
    /// Microseconds to its last byte.
    public let time: Int64
}

/// Why a request could not be sent again, in words.
public struct ReplayFailure: Error, Sendable {
    public let message: String
}

/// Sends recorded requests to a Shunt on this machine, each on a connection of its own.
public struct ReplayClient: Sendable {
    private static let seconds = 60
    private let port: UInt16
    private let profile: String?
    private let authority: String?

    /// - Parameters:
    ///   - profile: the profile to ask; with nil the one for clients of this machine.
    ///   - authority: the file of the CA that verifies the Shunt; nil for requests in the clear.
    public init(port: UInt16, profile: String?, authority: String? = nil) {
        (self.port, self.profile, self.authority) = (port, profile, authority)
    }

    private func connection() throws -> BlockingConnection {
        guard let authority else { return try BlockingConnection(port: port, seconds: Self.seconds) }
        let context = try ClientContext(policy: .standard(extraAuthorities: [authority]))
        return try BlockingConnection(host: "localhost", port: port, seconds: Self.seconds, tls: context)
    }

    /// Why the proxy would read another request than this one; nil where it reads just this one.
    ///
    /// The proxy's own parser decides, so that no field or line can hide another one.
    func misreading(of request: RecordedRequest) -> String? {
        let sent = head(request)
        let bytes = ContiguousArray(sent.bytes)
        guard HeadText(Array(bytes)) == sent else {
            return "a line has a line break, or a field has spaces around its value or a colon in its name"
        }
        var parsed = RequestHead()
        do throws(HTTPFailure) {
            guard try parsed.parse(bytes.span) == bytes.count else { return "a line is empty" }
        } catch {
            return error.reason
        }
        guard !parsed.upgrade, parsed.method != .connect else { return "it asks for another protocol" }
        let isWithout = request.body.isEmpty && parsed.framing == .none
        guard isWithout || parsed.framing == .length(UInt64(request.body.count)) else {
            return "its fields give its body another length"
        }
        return nil
    }

    /// Sends it, and blocks until all of the response is there.
    public func send(_ request: RecordedRequest) throws(ReplayFailure) -> ReplayedResponse {
        let clock = ContinuousClock()
        let start = clock.now
        var reading = ResponseReading(method: request.method)
        do {
            let connection = try connection()
            try connection.send(head(request).bytes + request.body)
            while try !reading.advance() { reading.append(try connection.receive(limit: 64 << 10)[...]) }
        } catch let error as SystemError {
            let reason = error.code == EAGAIN ? "no response within \(Self.seconds) s" : error.reason
            throw ReplayFailure(message: "the Shunt at port \(port) cannot be asked: \(reason)")
        } catch let error as HTTPFailure {
            throw ReplayFailure(message: "the response of the Shunt at port \(port) cannot be read: \(error.reason)")
        } catch {
            throw ReplayFailure(message: "\(error)")
        }
        let (seconds, attoseconds) = (clock.now - start).components
        return ReplayedResponse(
            status: reading.status, head: reading.head, body: reading.body, isCut: reading.isCut,
            time: seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
    }

    /// What the client sent, but for what concerned its connection.
    private func head(_ request: RecordedRequest) -> HeadText {
        var fields = request.fields.filter { field in
            // Without compression, so that there is something to compare.
            !HeadText.isSame(field.name, "Accept-Encoding")
                && (profile == nil || !HeadText.isSame(field.name, "Shunt-Profile"))
        }
        fields.insert(HeadText.Field("Host", request.host), at: 0)
        if let profile { fields.append(HeadText.Field("Shunt-Profile", profile)) }
        fields.append(HeadText.Field("Accept-Encoding", "identity"))
        fields.append(HeadText.Field("Connection", "close"))
        // Methods that expect content say its length even where there is none (RFC 9110 8.6).
        if !request.body.isEmpty || !["GET", "HEAD", "OPTIONS", "DELETE", "TRACE"].contains(request.method) {
            fields.append(HeadText.Field("Content-Length", "\(request.body.count)"))
        }
        return HeadText(startLine: "\(request.method) \(request.target) HTTP/1.1", fields: fields)
    }
}

extension ReplayedResponse {
    /// What came, and what is different.
    package func record(_ differences: [ResponseDifference]) -> Record<API.Replayed> {
        Record {
            $0.status = status
            $0.microseconds = Int(time)
            $0.isEqual = differences.allSatisfy(\.isVolatile)
            $0.differences = differences.map { .written(by: $0.write) }
        }
    }
}
