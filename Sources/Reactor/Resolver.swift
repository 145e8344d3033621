import Platform
import Synchronization

/// Why a name has no address.
public enum ResolutionError: Error, Sendable, Equatable {
    /// The name has no address; with the message of getaddrinfo(3).
    case failed(String)
    /// No name server could tell; with the same.
    case unavailable(String)
    case timedOut
    /// More look-ups wait than are allowed.
    case overloaded
}

/// Looks up names on threads of its own, since getaddrinfo(3) blocks.
///
/// Shared by all loops.
public final class Resolver: Sendable {
    /// Look-ups under way at once; each has a thread.
    ///
    /// Look-ups are rare, since connections are kept alive.
    private static let limit = 64
    private let running = Atomic<Int>(0)
    private let lookUp: @Sendable (String) -> Result<[SocketAddress], ResolutionError>

    /// - Parameter lookUp: what knows the addresses of names; it may block.
    public init(
        lookUp: @escaping @Sendable (String) -> Result<[SocketAddress], ResolutionError> = Resolver.askSystem
    ) {
        self.lookUp = lookUp
    }

    /// Resolves `name` to its addresses, in the order of preference that the system gives, port 0.
    ///
    /// Literals and `localhost` need no look-up; the latter has both loopback addresses, regardless of the hosts file,
    /// since development servers listen on either. Waits at most until the waiter's deadline.
    public func addresses(of name: String, on waiter: Waiter) async throws(ResolutionError) -> [SocketAddress] {
        if let literal = SocketAddress(literal: name, port: 0) { return [literal] }
        if name == "localhost" || name.hasSuffix(".localhost") {
            return [.loopback(.ipv6, port: 0), .loopback(.ipv4, port: 0)]
        }
        let core = waiter.core
        let ticket = core.lookups.open(for: waiter)
        defer { core.lookups.close(ticket) }
        try start(name, ticket, core.loop)
        while true {
            if let result = core.lookups.result(of: ticket) { return try result.get() }
            if waiter.isExpired { throw .timedOut }
            await waiter.park()
        }
    }

    private func start(_ name: String, _ ticket: Lookups.Ticket, _ loop: Loop?) throws(ResolutionError) {
        guard running.add(1, ordering: .relaxed).newValue <= Self.limit else {
            running.subtract(1, ordering: .relaxed)
            throw .overloaded
        }
        do throws(SystemError) {
            try Loop.startThread(name: "resolver") {
                let result = self.lookUp(name)
                self.running.subtract(1, ordering: .relaxed)
                loop?.post { $0.lookups.settle(ticket, result) }
            }
        } catch {
            running.subtract(1, ordering: .relaxed)
            throw .overloaded
        }
    }

    /// Asks getaddrinfo(3).
    @Sendable public static func askSystem(_ name: String) -> Result<[SocketAddress], ResolutionError> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = SystemCall.streamType
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, nil, &hints, &list)
        guard code == 0 else {
            let message = String(cString: gai_strerror(code))
            return .failure(code == EAI_AGAIN ? .unavailable(message) : .failed(message))
        }
        defer { freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = list
        while let entry = next {
            if let raw = entry.pointee.ai_addr, let address = SocketAddress(raw), !found.contains(address) {
                found.append(address)
            }
            next = entry.pointee.ai_next
        }
        return found.isEmpty ? .failure(.failed("no address")) : .success(found)
    }
}

/// The look-ups that tasks of one loop wait for.
///
/// Confined to the loop.
struct Lookups {
    typealias Ticket = UInt64
    typealias Response = Result<[SocketAddress], ResolutionError>

    private var waiting: [Ticket: (waiter: Waiter, response: Response?)] = [:]
    private var last: Ticket = 0

    mutating func open(for waiter: Waiter) -> Ticket {
        last += 1
        waiting[last] = (waiter, nil)
        return last
    }

    mutating func close(_ ticket: Ticket) { waiting[ticket] = nil }

    func result(of ticket: Ticket) -> Response? { waiting[ticket]?.response }

    /// Keeps the response and wakes the waiter, unless the task has given up.
    mutating func settle(_ ticket: Ticket, _ response: Response) {
        guard let waiter = waiting[ticket]?.waiter else { return }
        waiting[ticket] = (waiter, response)
        waiter.wake()
    }
}
