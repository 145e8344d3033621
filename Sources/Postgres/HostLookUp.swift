import Dispatch
import Platform
import Synchronization

/// A look-up of a host's addresses that a connection waits for no longer than until its deadline: libpq's own would
/// block for as long as a name server does not respond.
///
/// One look-up serves all that wait for the same host.
final class HostLookUp: Sendable {
    /// Knows the addresses of a host, as text; it may block.
    typealias System = @Sendable (String) -> [String]

    private static let underWay = Mutex<[String: HostLookUp]>([:])
    private let found = Mutex<[String]>([])
    private let end = DispatchGroup()

    /// The addresses of a host; nil if they were not found in time.
    static func addresses(of host: String, until deadline: PostgresDeadline, _ system: @escaping System) -> [String]? {
        let new = HostLookUp()
        let known = underWay.withLock { underWay -> HostLookUp? in
            if let known = underWay[host] { return known }
            // Before others can wait for it.
            new.end.enter()
            underWay[host] = new
            return nil
        }
        if known == nil { new.start(host, system) }
        let lookUp = known ?? new
        let time = deadline.pollTime
        let limit: DispatchTime = time < 0 ? .distantFuture : .now() + .milliseconds(Int(time))
        guard lookUp.end.wait(timeout: limit) == .success else { return nil }
        return lookUp.found.withLock { $0 }
    }

    private func start(_ host: String, _ system: @escaping System) {
        // A queue of its own has a thread of its own, which others do not wait for.
        DispatchQueue(label: "PostgreSQL's host").async { [self] in
            let addresses = system(host)
            found.withLock { $0 = addresses }
            Self.underWay.withLock { $0[host] = nil }
            end.leave()
        }
    }

    /// Asks getaddrinfo(3).
    @Sendable static func askSystem(_ host: String) -> [String] {
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, nil, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var found: [String] = []
        var next = list
        while let entry = next {
            next = entry.pointee.ai_next
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let result = getnameinfo(
                entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            let address = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            if result == 0, !found.contains(address) { found.append(address) }
        }
        return found
    }
}
