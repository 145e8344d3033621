import Bytes
import Reactor

/// The greeting of a client that speaks SOCKS (RFC 1928): it says where it wants to go, and goes on as one that has sent
/// CONNECT.
struct SOCKSGreeting {
    let connection: ClientConnection

    private static let version: UInt8 = 5
    private static let withoutCredentials: UInt8 = 0
    private static let withPassword: UInt8 = 2

    /// No TLS record and no HTTP method begins so.
    static func begins(with first: UInt8) -> Bool { first == 4 || first == version }

    /// Reads a SOCKS client's request and puts a CONNECT in its place; false if the connection has to end.
    func run(version: UInt8) async -> Bool {
        guard version == Self.version else {
            return await end("speaks SOCKS 4, and Shunt speaks SOCKS 5", [0, 91, 0, 0, 0, 0, 0, 0])
        }
        guard let forward = connection.state.forward else {
            return await end("speaks SOCKS, and Shunt was started with `--no-proxy`", [5, 0xFF])
        }
        guard let offered = await message(SOCKSMessage.methods) else {
            return false
        }
        let method = forward.credentials == nil ? Self.withoutCredentials : Self.withPassword
        guard offered.contains(method) else {
            return await end(
                forward.credentials == nil
                    ? "wants SOCKS with credentials alone" : "gave no user and password, those of `--proxy-user`",
                [5, 0xFF])
        }
        guard await say([5, method]) else { return false }
        if let credentials = forward.credentials {
            guard let text = await message(SOCKSMessage.credentials) else {
                return false
            }
            guard credentials.equal(text) else { return await end("gave a wrong user or password by SOCKS", [1, 1]) }
            guard await say([1, 0]) else { return false }
            connection.client.proxying.hasProvenItself = true
        }
        guard let request = await message(SOCKSMessage.request) else {
            return false
        }
        switch request {
        case .failure(let refusal):
            return await end("asks SOCKS for something other than a connection", refusal.bytes)
        case .success(let authority):
            // It may send no more before the reply.
            guard connection.channel.input.isEmpty else {
                return await end("sent data before the reply to its request", SOCKSReply.failed.bytes)
            }
            connection.client.proxying.speaksSOCKS = true
            connection.channel.input.reserve(from: connection.state.loop.buffers)
            return connection.channel.input.appendWhole(
                Array("CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\r\n".utf8))
        }
    }

    private func message<Message>(
        _ read: ([UInt8]) -> (message: Message, length: Int)?
    ) async -> Message? {
        while true {
            if let (message, length) = read([UInt8](connection.channel.input.unsafeBytes)) {
                connection.channel.input.consume(length)
                return message
            }
            guard let hasMore = connection.channel.poll(limit: 1024) else { return nil }
            if hasMore { continue }
            if connection.isOver { return nil }
            await connection.client.waiter.park()
        }
    }

    private func say(_ bytes: [UInt8]) async -> Bool {
        let deadline = connection.client.waiter.deadline
        defer { connection.client.waiter.deadline = deadline }
        return await connection.client.say(bytes)
    }

    /// Logs why it ends.
    private func end(_ what: String, _ reply: [UInt8]) async -> Bool {
        connection.note(
            EngineFailure(.client, .head, status: 400, "\(connection.peer?.description ?? "the client") \(what)"))
        _ = await say(reply)
        connection.client.mustClose = true
        return false
    }
}
