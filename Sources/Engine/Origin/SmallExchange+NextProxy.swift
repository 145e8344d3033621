import Bytes
import Profiles
import Reactor

extension SmallExchange {
    private static let maxHead = 16 << 10

    /// Asks a proxy on the way for a connection to a host: by CONNECT (RFC 9110 9.3.6) or by SOCKS (RFC 1928).
    mutating func ask(_ server: NextProxies.Server, for origin: OriginAddress) async throws(EngineFailure) {
        do throws(Failure) {
            switch server.kind {
            case .http: try await connect(to: origin, server)
            case .socks5: try await negotiate(for: origin, server)
            }
        } catch {
            throw EngineFailure(
                .origin, .connect, status: error.isLate ? 504 : 502,
                "the proxy \(server) on the way to \(origin) \(error.reason)", advice: error.advice ?? server.advice)
        }
    }

    private mutating func connect(to origin: OriginAddress, _ server: NextProxies.Server) async throws(Failure) {
        let authority = ForwardTarget(host: origin.host, port: origin.port).authority
        var head = "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n"
        if !server.credentials.isEmpty {
            head += "Proxy-Authorization: Basic \(Base64Encoder.text(Array(server.credentials.utf8)))\r\n"
        }
        try await write(Array((head + "\r\n").utf8))
        var received: [UInt8] = []
        // Byte by byte: what follows the head is the host's. It is one small message for each connection.
        while !received.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard received.count < Self.maxHead else { throw Failure(reason: "sent a head without an end") }
            received += try await read(1)
        }
        let line = String(decoding: received.prefix { $0 != 0x0D }, as: UTF8.self)
        let parts = line.split(separator: " ", maxSplits: 2)
        guard parts.count >= 2, parts[0].hasPrefix("HTTP/1."), let status = Int(parts[1]) else {
            throw Failure(reason: "does not speak HTTP")
        }
        guard (200..<300).contains(status) else {
            throw Failure(
                reason: "refused: \(PlainText.clean(String(line.prefix(120))))",
                advice: status == 407 || status == 401 ? server.credentialsAdvice : nil)
        }
    }

    private mutating func negotiate(for origin: OriginAddress, _ server: NextProxies.Server) async throws(Failure) {
        try await write(server.credentials.isEmpty ? [5, 1, 0] : [5, 2, 0, 2])
        let method = try await read(2)
        guard method[0] == 5 else { throw Failure(reason: "does not speak SOCKS 5") }
        switch method[1] {
        case 0: break
        case 2 where !server.credentials.isEmpty:
            let parts = server.credentials.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let (user, password) = (Array(parts[0].utf8), parts.count > 1 ? Array(parts[1].utf8) : [])
            guard user.count < 256, password.count < 256 else {
                throw Failure(reason: "takes no credentials that long")
            }
            try await write([1, UInt8(user.count)] + user + [UInt8(password.count)] + password)
            guard try await read(2)[1] == 0 else { throw Failure(reason: "refused the credentials") }
        default: throw Failure(reason: "wants credentials", advice: server.credentialsAdvice)
        }
        // The host by name, so that the proxy resolves it.
        let address = SocketAddress(literal: origin.host, port: 0)
        let target =
            address.map { [$0.family == .ipv4 ? 1 : 4] + $0.bytes }
            ?? [3, UInt8(clamping: origin.host.utf8.count)] + Array(origin.host.utf8)
        try await write([5, 1, 0] + target + [UInt8(origin.port >> 8), UInt8(truncatingIfNeeded: origin.port)])
        let reply = try await read(4)
        guard reply[0] == 5, reply[1] == 0 else {
            throw Failure(reason: "refused the connection with code \(reply[1])")
        }
        switch reply[3] {
        case 1: _ = try await read(4 + 2)
        case 4: _ = try await read(16 + 2)
        case 3: _ = try await read(Int(try await read(1)[0]) + 2)
        default: throw Failure(reason: "sent a faulty reply")
        }
    }
}
