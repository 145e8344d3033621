import HTTP
import Profiles
import Reactor

/// Which watched origins have turned out to have production's address: a verdict is kept for a while.
///
/// Confined to its worker.
struct ProductionAddresses {
    struct Key: Hashable {
        private let watch: ObjectIdentifier
        private let host: String

        /// - Parameter host: that of the Host field; nil where it does not count.
        init(_ watch: AddressGuard, host: String?) {
            self.watch = ObjectIdentifier(watch)
            self.host = host ?? ""
        }
    }

    /// What was found out about an origin.
    struct Verdict {
        /// The guard, or nil where it is not production; a failure if the origin has no address.
        var guarded: Result<WriteGuard?, EngineFailure>
        /// All names could be looked up.
        var isSure = true
    }

    private struct Entry {
        /// Keeps its identifier from being used again.
        let watch: AddressGuard
        var verdict: Verdict?
        var until: Instant = 0
        /// The waiters of those who need it, while one finds it out; nil at other times.
        var waiting: [Waiter]? = []
    }

    enum State {
        case known(Verdict)
        /// The caller has to find it out, and then to call ``end(_:_:now:)``.
        case unknown
        /// The waiter is woken when it is known.
        case awaited
    }

    private static let maxCount = 256
    private var entries: [Key: Entry] = [:]

    mutating func begin(_ key: Key, _ watch: AddressGuard, _ waiter: Waiter, now: Instant) -> State {
        if let entry = entries[key] {
            if entry.waiting != nil {
                entries[key]?.waiting?.append(waiter)
                return .awaited
            }
            if let verdict = entry.verdict, entry.until > now { return .known(verdict) }
        } else if entries.count >= Self.maxCount {
            entries = entries.filter { $0.value.waiting != nil }
        }
        entries[key] = Entry(watch: watch)
        return .unknown
    }

    /// - Parameter verdict: nil if it was not found out.
    mutating func end(_ key: Key, _ verdict: Verdict?, now: Instant) {
        guard let waiting = entries[key]?.waiting else { return }
        entries[key]?.waiting = nil
        entries[key]?.verdict = verdict
        entries[key]?.until = now.after((verdict?.isSure == true ? 30 : 2) * Limits.second)
        for waiter in waiting { waiter.wake() }
    }
}

/// Finds out whether addresses are those of production, for a client that waits for it.
struct ProductionLookUp {
    let client: Client
    private var state: WorkerState { client.state }

    func verdict(
        on watch: AddressGuard, _ key: ProductionAddresses.Key, _ production: [ProductionHost]
    ) async throws(EngineFailure) -> ProductionAddresses.Verdict {
        while true {
            switch state.productionAddresses.begin(key, watch, client.waiter, now: state.core.now) {
            case .known(let verdict): return verdict
            case .awaited:
                client.waiter.deadline = .never
                await client.waiter.park()
            case .unknown:
                let found = await verdict(on: watch.origin, production)
                state.productionAddresses.end(key, client.waiter.isCancelled ? nil : found, now: state.core.now)
                return found
            }
            if state.isAborting || client.waiter.isCancelled { throw .aborted }
            if client.channel.isBroken { throw .clientLeft("the connection was reset") }
        }
    }

    private func verdict(
        on origin: OriginAddress, _ production: [ProductionHost]
    ) async -> ProductionAddresses.Verdict {
        do throws(ResolutionError) {
            let found = try await addresses(of: origin.host)
            return await verdict(on: found, production) { $0.isPublic }
        } catch {
            return ProductionAddresses.Verdict(guarded: .failure(.unresolved(origin, error)), isSure: false)
        }
    }

    /// Which hosts of production are at one of these addresses.
    ///
    /// - Parameter unsure: whether an address counts as that of a host whose look-up fails; addresses of this
    ///   machine are not, so that one can work offline.
    func verdict(
        on addresses: [SocketAddress], _ production: [ProductionHost], unsure: (SocketAddress) -> Bool
    ) async -> ProductionAddresses.Verdict {
        var guards: [WriteGuard] = []
        var isSure = true
        let end = state.core.now.after(state.limits.connectTime)
        for host in production {
            do throws(ResolutionError) {
                if state.core.now >= end { throw .timedOut }
                let theirs = try await productionAddresses(of: host)
                if let same = addresses.first(where: { one in theirs.contains { one.isSame(as: $0) } }) {
                    guards.append(host.writeGuard("\(same.host) is the address of \(host.name)"))
                }
            } catch .failed {
                continue
            } catch {
                isSure = false
                guard let closest = addresses.first(where: unsure) else { continue }
                guards.append(
                    host.writeGuard("\(host.name) cannot be looked up now, and may have the address \(closest.host)"))
            }
        }
        return ProductionAddresses.Verdict(guarded: .success(WriteGuard(guards)), isSure: isSure)
    }

    /// Asked again where nothing is known, since the request could pass as one to another host.
    private func productionAddresses(of host: ProductionHost) async throws(ResolutionError) -> [SocketAddress] {
        do throws(ResolutionError) {
            return try await addresses(of: host.name)
        } catch .failed(let message) {
            throw .failed(message)
        } catch {
            return try await addresses(of: host.name)
        }
    }

    func addresses(of host: String) async throws(ResolutionError) -> [SocketAddress] {
        client.waiter.deadline = state.core.clock().after(state.limits.connectTime)
        return try await state.resolver.addresses(of: host, on: client.waiter)
    }
}

extension SocketAddress {
    /// The same host, as far as addresses tell: all of this machine's own are one.
    ///
    /// Systems connect to this machine where the address is unspecified (`0.0.0.0`, `::`).
    fileprivate func isSame(as other: SocketAddress) -> Bool {
        let (mine, theirs) = (carried, other.carried)
        if mine.bytes == theirs.bytes { return true }
        return [mine, theirs].allSatisfy { address in
            address.isLoopback || address.bytes.allSatisfy { $0 == 0 }
                || NetworkInterface.ownAddresses().contains(address.bytes)
        }
    }
}
