import HTTP
public import Inspection
public import JSON
import Platform
import Reactor

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

    /// - Parameter profile: the profile to ask; with nil the one for clients of this machine.
    public init(port: UInt16, profile: String?) {
        self.port = port
        self.profile = profile
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
            let connection = try LoopbackConnection(port: port, seconds: Self.seconds)
            try connection.sendAll(head(request).bytes + request.body)
            var chunk = [UInt8](repeating: 0, count: 64 << 10)
            while try !reading.advance() {
                let count = chunk.withUnsafeMutableBytes { recv(connection.descriptor, $0.baseAddress, $0.count, 0) }
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw SystemError("recv", code: errno) }
                reading.append(chunk[..<count])
            }
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
    /// Writes an object that says what came and what is different; times are in microseconds.
    public func write(_ differences: [ResponseDifference], to writer: inout JSONWriter) {
        writer.object { object in
            object.member("status", status)
            object.member("time_us", time)
            object.member("equal", differences.allSatisfy(\.isVolatile))
            object.array("differences") { array in
                for difference in differences { array.object { difference.write(to: &$0) } }
            }
        }
    }
}
