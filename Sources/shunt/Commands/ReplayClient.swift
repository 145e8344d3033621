import Admin
import HTTP
import Reactor
import Traffic

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What came back.
struct ReplayedAnswer: Sendable {
    let status: Int
    let head: [UInt8]
    let body: [UInt8]
    /// There was more than is compared.
    let isCut: Bool
    /// Microseconds to its last byte.
    let time: Int64
}

/// Sends recorded requests to a Shunt on this machine, each on a connection of its own.
struct ReplayClient {
    private static let seconds = 60
    let port: UInt16
    let profile: String?

    func send(_ request: RecordedRequest) throws(CommandFailure) -> ReplayedAnswer {
        let clock = ContinuousClock()
        let start = clock.now
        var reading = AnswerReading(method: request.method)
        do {
            let connection = try LoopbackConnection(port: port, seconds: Self.seconds)
            try connection.sendAll(head(request) + request.body)
            var chunk = [UInt8](repeating: 0, count: 64 << 10)
            while try !reading.advance() {
                let count = chunk.withUnsafeMutableBytes { recv(connection.descriptor, $0.baseAddress, $0.count, 0) }
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw SystemError("recv", code: errno) }
                reading.append(chunk[..<count])
            }
        } catch let error as SystemError {
            let reason = error.code == EAGAIN ? "no answer within \(Self.seconds) s" : error.reason
            throw .failed("the Shunt at port \(port) cannot be asked: \(reason)")
        } catch let error as HTTPFailure {
            throw .failed("the answer of the Shunt at port \(port) cannot be read: \(error.reason)")
        } catch {
            throw .failed("\(error)")
        }
        let (seconds, attoseconds) = (clock.now - start).components
        return ReplayedAnswer(
            status: reading.status, head: reading.head, body: reading.body, isCut: reading.isCut,
            time: seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
    }

    /// What the client sent, but for what concerned its connection.
    private func head(_ request: RecordedRequest) -> [UInt8] {
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
        return HeadText(startLine: "\(request.method) \(request.target) HTTP/1.1", fields: fields).bytes
    }
}
