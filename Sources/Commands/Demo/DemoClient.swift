import Admin
import Bytes
import Platform
import Reactor
import TLS

/// An app in small: one HTTPS request to Shunt, whose certificate it verifies.
struct DemoClient: Sendable {
    /// What came back.
    struct Response: Sendable {
        let status: Int
        let answeredBy: String
        let body: String
        let tls: String
    }

    /// Why nothing did.
    struct Failure: Error {
        let message: String
    }

    private static let seconds = 10
    let port: UInt16
    /// The development CA's certificate file.
    let authority: String

    /// Asks for a path, in the profile named.
    func get(_ path: String, profile: String) throws(Failure) -> Response {
        do {
            let connection = try LoopbackConnection(port: port, seconds: Self.seconds)
            _ = fcntl(connection.descriptor, F_SETFL, fcntl(connection.descriptor, F_GETFL) | O_NONBLOCK)
            let readiness = UnsafeMutablePointer<Readiness>.allocate(capacity: 1)
            readiness.initialize(to: Readiness(descriptor: connection.descriptor))
            defer { readiness.deallocate() }
            let context = try ClientContext(policy: .standard(extraAuthorities: [authority]))
            let session = try Session(client: context, readiness: readiness, host: "localhost", resumption: nil)
            while try session.handshake() != .bytes(0) { try wait(readiness) }
            let request =
                "GET \(path) HTTP/1.1\r\nHost: localhost:\(port)\r\nShunt-Profile: \(profile)\r\n"
                + "Accept: application/json\r\nConnection: close\r\n\r\n"
            try send(Array(request.utf8), session, readiness)
            let bytes = try receive(session, readiness)
            guard let response = Self.read(bytes, tls: session.version) else {
                throw Failure(message: "the response cannot be read")
            }
            return response
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(message: "\(error)")
        }
    }

    private func send(_ bytes: [UInt8], _ session: Session, _ readiness: UnsafeMutablePointer<Readiness>) throws {
        var sent = 0
        while sent < bytes.count {
            let outcome = try bytes.withUnsafeBytes { try session.write(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
            if case .bytes(let count) = outcome { sent += count } else { try wait(readiness) }
        }
        while try session.flush() != .bytes(0) { try wait(readiness) }
    }

    private func receive(_ session: Session, _ readiness: UnsafeMutablePointer<Readiness>) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while bytes.count < 1 << 20 {
            switch try chunk.withUnsafeMutableBytes({ try session.read(into: $0) }) {
            case .bytes(let count): bytes.append(contentsOf: chunk[..<count])
            case .end: return bytes
            case .wantRead, .wantWrite: try wait(readiness)
            }
        }
        return bytes
    }

    /// Until the socket can do what it could not.
    private func wait(_ readiness: UnsafeMutablePointer<Readiness>) throws {
        var events = Int16(POLLIN)
        if !readiness.pointee.isWritable { events |= Int16(POLLOUT) }
        var entry = pollfd(fd: readiness.pointee.descriptor, events: events, revents: 0)
        guard poll(&entry, 1, CInt(Self.seconds) * 1000) > 0 else {
            throw Failure(message: "no response within \(Self.seconds) s")
        }
        readiness.pointee.isReadable = true
        readiness.pointee.isWritable = true
    }

    private static func read(_ bytes: [UInt8], tls: String) -> Response? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        // A Character: CR and LF together are one.
        let lines = head.split(separator: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count >= 2, let status = Int(words[1]) else { return nil }
        let name = "shunt-answered-by:"
        let answeredBy = lines.first { $0.lowercased().hasPrefix(name) }?.dropFirst(name.count).drop { $0 == " " }
        return Response(
            status: status, answeredBy: String(answeredBy ?? ""),
            body: String(decoding: bytes[end.upperBound...], as: UTF8.self), tls: tls)
    }
}
