public import HTTP2

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// An end of HTTP/2 on a real socket, for tests: it blocks, and every wait ends after ten seconds with an error.
public final class HTTP2Wire {
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    public let peer: HTTP2Peer
    private let connection: RawConnection
    /// The other end has closed the connection.
    public private(set) var hasEnded = false

    /// The last bytes that came.
    public private(set) var tail: [UInt8] = []

    /// - Parameter role: whose part this end plays.
    public init(_ connection: RawConnection, _ role: HTTP2Session.Role, limits: HTTP2Limits = HTTP2Limits()) throws {
        self.connection = connection
        peer = try HTTP2Peer(role, limits: limits)
        try flush()
    }

    /// A client that knows beforehand that HTTP/2 is spoken there.
    public static func connect(_ port: UInt16, limits: HTTP2Limits = HTTP2Limits()) throws -> HTTP2Wire {
        try HTTP2Wire(try RawConnection.connect(port), .client, limits: limits)
    }

    /// A request whose response is not waited for.
    public func request(_ head: String, body: String? = nil, ends: Bool = true) throws -> HTTP2Recorder {
        let recorder = try peer.request(head, body: body, ends: ends)
        try flush()
        return recorder
    }

    public func get(_ path: String, fields: String = "") throws -> HTTP2Recorder {
        try request("GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
    }

    /// Writes what the session has to say, reading meanwhile, lest both ends wait for each other.
    public func flush() throws {
        if hasEnded { return }
        var rest = try peer.output()[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { bytes in
                bytes.baseAddress.map { systemSend(connection.descriptor, $0, bytes.count, CInt(MSG_DONTWAIT)) } ?? 0
            }
            if sent > 0 {
                rest = rest.dropFirst(sent)
            } else if sent < 0, errno == EAGAIN || errno == EWOULDBLOCK {
                var wanted = pollfd(fd: connection.descriptor, events: Int16(POLLIN | POLLOUT), revents: 0)
                guard poll(&wanted, 1, 60_000) == 1 else { throw Failure(description: "nothing is taken") }
                if wanted.revents & Int16(POLLIN) != 0 { try read() }
                if rest.isEmpty { rest = try peer.output()[...] }
            } else {
                hasEnded = true
                return
            }
        }
    }

    /// Takes in what is there; false when nothing was, or the connection is over.
    @discardableResult
    private func read() throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(connection.descriptor, &chunk, chunk.count, CInt(MSG_DONTWAIT))
        if count > 0 {
            tail = Array((tail + chunk[..<count]).suffix(1024))
            try? peer.receive(Array(chunk[..<count]))
            return true
        }
        if count == 0 || errno != EAGAIN && errno != EWOULDBLOCK { hasEnded = true }
        return false
    }

    /// Reads and writes until something holds.
    public func run(_ what: String = "", seconds: Double = 60, until condition: () throws -> Bool) throws {
        let limit = time(nil) + Int(seconds)
        while true {
            try flush()
            if try condition() { return }
            if hasEnded { throw Failure(description: "the connection ended before \(what)") }
            var wanted = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
            guard time(nil) <= limit else { throw Failure(description: "in vain: \(what)") }
            if poll(&wanted, 1, 100) == 1 { try read() }
        }
    }

    /// Waits for the end of one stream.
    public func finish(_ recorder: HTTP2Recorder) throws {
        try run("the end of stream \(recorder.stream?.id ?? 0)") {
            recorder.isClosed || recorder.stream?.hasEnded == true
        }
    }

    /// Waits until the other end has seen everything that was sent.
    public func roundTrip() throws {
        peer.session.ping()
        try run("a response to PING") { !peer.session.awaitsPing }
    }

    /// Waits until the other end closes the connection; returns how it said goodbye.
    public func runToEnd(seconds: Double = 60) throws {
        let limit = time(nil) + Int(seconds)
        while !hasEnded {
            try flush()
            var wanted = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
            guard time(nil) <= limit else { throw Failure(description: "the connection stays open") }
            if poll(&wanted, 1, 100) == 1 { while try read() {} }
        }
    }

    /// Serves streams as they come until the connection ends.
    /// - Parameter response: called at each change of a stream.
    public func serve(_ response: @escaping (HTTP2Peer, HTTP2Recorder) throws -> Void) throws {
        var changed: [HTTP2Recorder] = []
        peer.whenChanged = { changed.append($0) }
        while !hasEnded {
            let present = changed
            changed.removeAll()
            for (index, recorder) in present.enumerated() where !present[..<index].contains(where: { $0 === recorder })
            {
                try response(peer, recorder)
                // After a reset its descriptor may be another connection's already.
                if hasEnded { return }
            }
            try flush()
            if !changed.isEmpty { continue }
            var wanted = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&wanted, 1, 60_000) == 1 { try read() } else { return }
        }
    }

    /// Sends bytes past the session.
    public func send(raw bytes: [UInt8]) throws { try connection.send(bytes) }

    /// Nothing is read or written afterwards: the descriptor may be another connection's by then.
    public func reset() {
        hasEnded = true
        connection.reset()
    }
}

extension ScriptedOrigin {
    /// An origin that speaks HTTP/2 without being asked first.
    /// - Parameter response: gets a stream at each of its changes, and the number of its connection.
    public static func http2(
        limits: HTTP2Limits = HTTP2Limits(), usesContent: Bool = true,
        _ response: @escaping @Sendable (HTTP2Peer, HTTP2Recorder, Int) throws -> Void
    ) -> ScriptedOrigin {
        ScriptedOrigin { connection, number in
            let wire = try HTTP2Wire(connection, .server, limits: limits)
            wire.peer.usesContent = usesContent
            try wire.serve { try response($0, $1, number) }
        }
    }
}
