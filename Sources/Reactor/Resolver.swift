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
/// A name is looked up once for all that wait for it, and its addresses are kept for two seconds: getaddrinfo(3) does
/// not say for how long they hold. Shared by all loops.
public final class Resolver: Sendable {
    private typealias Response = Result<[SocketAddress], ResolutionError>

    /// Names that are looked up at once.
    ///
    /// A look-up takes half a minute where the name's server does not respond, and cannot be ended; the threads of such
    /// names must leave enough for others.
    private static let limit = 512
    /// Nanoseconds for which addresses are kept.
    private static let lifetime: UInt64 = 2_000_000_000
    /// The same for a name without an address; a failure to find out is not kept, so that the next one may succeed.
    private static let failureLifetime: UInt64 = 500_000_000
    private static let maxKnown = 1024

    private struct State {
        var underWay: [String: Errand<Response>] = [:]
        var known: [String: (response: Response, until: Instant)] = [:]
    }

    private let state = Mutex(State())
    private let threads = Threads(name: "resolver", limit: limit)
    private let lookUp: @Sendable (String) -> Result<[SocketAddress], ResolutionError>
    private let clock: @Sendable () -> Instant

    /// - Parameters:
    ///   - lookUp: what knows the addresses of names; it may block.
    ///   - clock: tells how long addresses were kept.
    public init(
        lookUp: @escaping @Sendable (String) -> Result<[SocketAddress], ResolutionError> = Resolver.askSystem,
        clock: @escaping @Sendable () -> Instant = { .now() }
    ) {
        self.lookUp = lookUp
        self.clock = clock
    }

    /// Resolves `name` to its addresses, in the order of preference that the system gives, port 0.
    ///
    /// Literals and `localhost` need no look-up; the latter has both loopback addresses, regardless of the hosts file,
    /// since development servers listen on either. Waits at most until the waiter's deadline.
    public func addresses(of name: String, on waiter: Waiter) async throws(ResolutionError) -> [SocketAddress] {
        if let known = Self.addresses(withoutLookUp: name) { return known }
        guard let response = await errand(for: name).value(on: waiter) else { throw .timedOut }
        return try response.get()
    }

    /// Whether it is a name whose addresses may change.
    public static func needsLookUp(_ name: String) -> Bool { addresses(withoutLookUp: name) == nil }

    private static func addresses(withoutLookUp name: String) -> [SocketAddress]? {
        if let literal = SocketAddress(literal: name, port: 0) { return [literal] }
        guard name == "localhost" || name.hasSuffix(".localhost") else { return nil }
        return [.loopback(.ipv6, port: 0), .loopback(.ipv4, port: 0)]
    }

    /// The look-up of a name: one that was done lately, one that is under way, or a new one.
    private func errand(for name: String) -> Errand<Response> {
        let now = clock()
        let errand = Errand<Response>()
        let other = state.withLock { state -> Errand<Response>? in
            if let known = state.known[name], known.until > now {
                errand.finish(known.response)
                return errand
            }
            if let running = state.underWay[name] { return running }
            state.underWay[name] = errand
            return nil
        }
        if let other { return other }
        if !threads.start({ [self] in settle(name, lookUp(name)) }) { settle(name, .failure(.overloaded)) }
        return errand
    }

    private func settle(_ name: String, _ response: Response) {
        let now = clock()
        let errand = state.withLock { state in
            if response.isDefinite {
                if state.known.count >= Self.maxKnown { state.known = state.known.filter { $0.value.until > now } }
                if state.known.count >= Self.maxKnown { state.known.removeAll() }
                let lifetime = (try? response.get()) == nil ? Self.failureLifetime : Self.lifetime
                state.known[name] = (response, now.after(lifetime))
            }
            return state.underWay.removeValue(forKey: name)
        }
        errand?.finish(response)
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

extension Result<[SocketAddress], ResolutionError> {
    /// A name server has said it.
    fileprivate var isDefinite: Bool {
        switch self {
        case .success, .failure(.failed): true
        case .failure: false
        }
    }
}
