import Bytes
import Platform

/// Why no connection was made.
public struct ConnectError: Error, Sendable {
    /// The failure of each address that was tried, in order.
    public let attempts: [(address: SocketAddress, reason: SystemError)]
    public let isTimeout: Bool
}

/// Connects to the first of several addresses that accepts, as RFC 8305 ("happy eyeballs") has it.
public struct Connector {
    /// The time an attempt has before the next one starts beside it (RFC 8305 section 5: 250 ms).
    private static let attemptDelay: UInt64 = 250_000_000

    private let waiter: Waiter
    private let limit: Instant
    private var waiting: [SocketAddress]
    private var running: [(socket: Socket, address: SocketAddress)] = []
    private var failed: [(address: SocketAddress, reason: SystemError)] = []

    private init(_ addresses: [SocketAddress], port: UInt16, _ waiter: Waiter) {
        self.waiter = waiter
        limit = waiter.deadline
        waiting = Self.interleaved(addresses).map {
            SocketAddress(family: $0.family, bytes: $0.bytes, port: port, scope: $0.scope)
        }
    }

    /// Connects until the waiter's deadline, which is restored afterwards, or until it is cancelled.
    public static func connect(
        to addresses: [SocketAddress], port: UInt16, on waiter: Waiter
    ) async throws(ConnectError) -> (socket: Socket, address: SocketAddress) {
        var connector = Connector(addresses, port: port, waiter)
        defer { waiter.deadline = connector.limit }
        return try await connector.run()
    }

    private mutating func run() async throws(ConnectError) -> (socket: Socket, address: SocketAddress) {
        var nextStart: Instant = 0
        while true {
            let time = waiter.core.clock()
            if !waiting.isEmpty && (running.isEmpty || time >= nextStart) {
                start()
                nextStart = time.after(Self.attemptDelay)
            }
            if let winner = settle() {
                for (socket, _) in running where socket !== winner.socket { socket.close() }
                return winner
            }
            if running.isEmpty {
                if waiting.isEmpty { throw ConnectError(attempts: failed, isTimeout: false) }
                continue
            }
            if time >= limit || waiter.isCancelled {
                let late = running.map { ($0.address, SystemError("connect", code: ETIMEDOUT)) }
                for (socket, _) in running { socket.close() }
                throw ConnectError(attempts: failed + late, isTimeout: true)
            }
            waiter.deadline = waiting.isEmpty ? limit : min(limit, nextStart)
            await waiter.park()
        }
    }

    private mutating func start() {
        let address = waiting.removeFirst()
        do throws(SystemError) {
            let descriptor = try SystemCall.makeSocket(domain: address.domain)
            SystemCall.setNoDelay(descriptor)
            let isConnected = try SystemCall.connect(descriptor, to: address)
            let socket = try Socket(descriptor, waiter.core, goesFirst: true)
            socket.readiness.pointee.isReadable = isConnected
            socket.readiness.pointee.isWritable = isConnected
            socket.notify(waiter)
            running.append((socket, address))
        } catch {
            failed.append((address, error))
        }
    }

    /// The attempt that succeeded, if one has; those that failed go to `failed`.
    private mutating func settle() -> (socket: Socket, address: SocketAddress)? {
        var index = 0
        while index < running.count {
            let (socket, address) = running[index]
            guard socket.readiness.pointee.isWritable || socket.readiness.pointee.isHungUp else {
                index += 1
                continue
            }
            var code: CInt = 0
            var length = socklen_t(MemoryLayout<CInt>.size)
            getsockopt(socket.descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
            if code == 0 { return (socket, address) }
            socket.close()
            failed.append((address, SystemError("connect", code: code)))
            running.remove(at: index)
        }
        return nil
    }

    /// Families in turn, beginning with the one that the system prefers (RFC 8305 section 4).
    private static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard let preferred = addresses.first?.family else { return [] }
        var first = addresses.filter { $0.family == preferred }[...]
        var second = addresses.filter { $0.family != preferred }[...]
        var result: [SocketAddress] = []
        while !first.isEmpty || !second.isEmpty {
            if let next = first.popFirst() { result.append(next) }
            if let next = second.popFirst() { result.append(next) }
        }
        return result
    }
}
