import Bytes
import Profiles
import Reactor

/// Asks a proxy on the way for a connection to a host: by CONNECT (RFC 9110 9.3.6) or by SOCKS (RFC 1928).
struct NextProxyRequest {
    private static let maxHead = 16 << 10

    private let socket: Socket
    private let server: NextProxies.Server
    private let origin: OriginAddress
    private let state: WorkerState
    private let waiter: Waiter

    init(
        _ socket: Socket, _ server: NextProxies.Server, _ origin: OriginAddress, _ state: WorkerState, _ waiter: Waiter
    ) {
        (self.socket, self.server, self.origin, self.state, self.waiter) = (socket, server, origin, state, waiter)
    }

    func run() async throws(EngineFailure) {
        switch server.kind {
        case .http: try await connect()
        case .socks5: try await greet()
        }
    }

    // MARK: CONNECT

    private func connect() async throws(EngineFailure) {
        let authority = ForwardTarget(host: origin.host, port: origin.port).authority
        var head = "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n"
        if !server.credentials.isEmpty {
            head += "Proxy-Authorization: Basic \(Base64Encoder.text(Array(server.credentials.utf8)))\r\n"
        }
        try await send(Array((head + "\r\n").utf8))
        var received: [UInt8] = []
        // Byte by byte: what follows the head is the host's. It is one small message for each connection.
        while !received.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard received.count < Self.maxHead else { throw failure("sent a head without an end") }
            received += try await receive(1)
        }
        let line = String(decoding: received.prefix { $0 != 0x0D }, as: UTF8.self)
        let parts = line.split(separator: " ", maxSplits: 2)
        guard parts.count >= 2, parts[0].hasPrefix("HTTP/1."), let status = Int(parts[1]) else {
            throw failure("does not speak HTTP")
        }
        guard (200..<300).contains(status) else {
            throw failure(
                "refused: \(PlainText.clean(String(line.prefix(120))))",
                advice: status == 407 || status == 401 ? server.credentialsAdvice : nil)
        }
    }

    // MARK: SOCKS

    private func greet() async throws(EngineFailure) {
        try await send(server.credentials.isEmpty ? [5, 1, 0] : [5, 2, 0, 2])
        let method = try await receive(2)
        guard method[0] == 5 else { throw failure("does not speak SOCKS 5") }
        switch method[1] {
        case 0: break
        case 2 where !server.credentials.isEmpty:
            let parts = server.credentials.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let (user, password) = (Array(parts[0].utf8), parts.count > 1 ? Array(parts[1].utf8) : [])
            guard user.count < 256, password.count < 256 else { throw failure("takes no credentials that long") }
            try await send([1, UInt8(user.count)] + user + [UInt8(password.count)] + password)
            guard try await receive(2)[1] == 0 else { throw failure("refused the credentials") }
        default: throw failure("wants credentials", advice: server.credentialsAdvice)
        }
        try await send([5, 1, 0] + target + [UInt8(origin.port >> 8), UInt8(truncatingIfNeeded: origin.port)])
        let reply = try await receive(4)
        guard reply[0] == 5, reply[1] == 0 else { throw failure("refused the connection with code \(reply[1])") }
        switch reply[3] {
        case 1: _ = try await receive(4 + 2)
        case 4: _ = try await receive(16 + 2)
        case 3: _ = try await receive(Int(try await receive(1)[0]) + 2)
        default: throw failure("sent a faulty reply")
        }
    }

    /// The host by name, so that the proxy resolves it.
    private var target: [UInt8] {
        if let address = SocketAddress(literal: origin.host, port: 0) {
            return [address.family == .ipv4 ? 1 : 4] + address.bytes
        }
        return [3, UInt8(clamping: origin.host.utf8.count)] + Array(origin.host.utf8)
    }

    // MARK: Bytes

    private func send(_ bytes: [UInt8]) async throws(EngineFailure) {
        var sent = 0
        while sent < bytes.count {
            let result = bytes.withUnsafeBytes { all in
                Result { () throws(SystemError) in try socket.write(UnsafeRawBufferPointer(rebasing: all[sent...])) }
            }
            do throws(SystemError) { sent += try result.get() } catch {
                throw failure("broke the connection: \(error.reason)")
            }
            if sent < bytes.count { try await wait() }
        }
    }

    private func receive(_ count: Int) async throws(EngineFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var received = 0
        while received < count {
            let result = bytes.withUnsafeMutableBytes { room in
                Result { () throws(SystemError) in
                    try socket.read(into: UnsafeMutableRawBufferPointer(rebasing: room[received...]))
                }
            }
            let outcome: ReadOutcome
            do throws(SystemError) { outcome = try result.get() } catch {
                throw failure("broke the connection: \(error.reason)")
            }
            switch outcome {
            case .bytes(let some): received += some
            case .end: throw failure("closed the connection")
            case .wouldBlock: try await wait()
            }
        }
        return bytes
    }

    private func wait() async throws(EngineFailure) {
        if state.isAborting { throw .aborted }
        if waiter.isExpired { throw failure("did not respond in time", status: 504) }
        await waiter.park()
    }

    private func failure(_ what: String, status: Int = 502, advice: String? = nil) -> EngineFailure {
        EngineFailure(
            .origin, .connect, status: status, "the proxy \(server) on the way to \(origin) \(what)",
            advice: advice ?? server.advice)
    }
}
