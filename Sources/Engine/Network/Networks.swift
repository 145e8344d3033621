public import Profiles
public import Reactor
import Synchronization

/// A choice of conditions while Shunt runs.
public struct NetworkChoice: Sendable, Equatable {
    /// nil for the network that there is, in spite of profiles.
    public let conditions: NetworkConditions?
    /// A device's name or a client's address; nil for all clients.
    public let device: String?
    /// When it ends; nil for the end of Shunt.
    public let until: Instant?

    package init(conditions: NetworkConditions?, device: String?, until: Instant?) {
        (self.conditions, self.device, self.until) = (conditions, device, until)
    }

    /// The remaining seconds, rounded up; nil without an end.
    public func secondsLeft(now: Instant = .now()) -> Int? {
        until.map { now >= $0 ? 0 : Int(clamping: ($0 - now - 1) / 1_000_000_000 + 1) }
    }
}

/// What the networks of clients are like: by the run, by choices while it runs, and by profiles.
///
/// A choice for a device comes first, then one for all, then the run's, then the profile's. Shared by all threads.
public final class Networks: Sendable {
    /// Seconds that a choice may be for: up to a day.
    public static let allowed = 1...86_400

    private struct LinkKey: Hashable {
        let client: [UInt8]
        let conditions: NetworkConditions
    }

    private struct WeakLink { weak var link: Link? }

    private struct State {
        var run: NetworkConditions?
        var choices: [NetworkChoice] = []
        var links: [LinkKey: WeakLink] = [:]
    }

    private let state: Mutex<State>
    private let observer = Mutex<(@Sendable () -> Void)?>(nil)
    private let used = Atomic<Bool>(false)

    /// - Parameter run: the conditions of all clients for which nothing else is chosen.
    public init(run: NetworkConditions? = nil) {
        state = Mutex(State(run: run))
        used.store(run != nil, ordering: .relaxed)
    }

    /// Something is chosen beside what profiles say.
    var isUsed: Bool { used.load(ordering: .relaxed) }

    /// Calls `body` after each change, on the thread that made it; nothing any more if it is nil.
    func onChange(_ body: (@Sendable () -> Void)?) { observer.withLock { $0 = body } }

    public var run: NetworkConditions? { state.withLock { $0.run } }

    /// The present choices, that for all clients first.
    public func choices(now: Instant = .now()) -> [NetworkChoice] {
        state.withLock { $0.choices.filter { $0.until ?? .never > now } }
            .sorted { ($0.device ?? "") < ($1.device ?? "") }
    }

    /// Chooses conditions for all clients or for one device, from now on and for connections that are open as well.
    /// - Parameters:
    ///   - conditions: nil for the network that there is.
    ///   - seconds: how long; nil without an end.
    @discardableResult
    public func choose(
        _ conditions: NetworkConditions?, for device: String? = nil, seconds: Int? = nil, now: Instant = .now()
    ) -> NetworkChoice {
        let choice = NetworkChoice(
            conditions: conditions, device: device, until: seconds.map { now.after(UInt64($0) * 1_000_000_000) })
        change { choices in
            choices.removeAll { $0.device == device }
            choices.append(choice)
        }
        return choice
    }

    /// Leaves it to the run and the profiles again; with nil for all clients, devices keep their choices.
    /// - Returns: whether there was a choice.
    @discardableResult
    public func forget(device: String? = nil) -> Bool {
        change { choices in
            let count = choices.count
            choices.removeAll { $0.device == device }
            return choices.count < count
        }
    }

    /// Makes exactly these choices.
    package func replace(with choices: [NetworkChoice]) { change { $0 = choices } }

    /// Removes the choices that have ended and returns them, each once, for the log.
    public func expire(now: Instant = .now()) -> [NetworkChoice] {
        let over = state.withLock { state in state.choices.filter { $0.until ?? .never <= now } }
        guard !over.isEmpty else { return [] }
        return change { choices in
            let ended = choices.filter { $0.until ?? .never <= now }
            choices.removeAll { $0.until ?? .never <= now }
            return ended
        }
    }

    private func change<R: Sendable>(_ body: (inout [NetworkChoice]) -> R) -> R {
        let result = state.withLock { state in
            let result = body(&state.choices)
            used.store(state.run != nil || !state.choices.isEmpty, ordering: .relaxed)
            return result
        }
        let observer = observer.withLock { $0 }
        observer?()
        return result
    }

    /// The conditions of a client; nil for the network that there is.
    /// - Parameters:
    ///   - names: what the client is known by: its device's name, its address.
    ///   - profile: what its profile says.
    package func conditions(of names: [String], profile: NetworkConditions?, now: Instant) -> NetworkConditions? {
        state.withLock { state in
            let present = state.choices.filter { $0.until ?? .never > now }
            if let own = present.first(where: { $0.device.map(names.contains) ?? false }) { return own.conditions }
            if let common = present.first(where: { $0.device == nil }) { return common.conditions }
            return state.run ?? profile
        }
    }

    /// The link of a client under these conditions, which lives as long as one of its connections.
    func link(of client: SocketAddress?, _ conditions: NetworkConditions, now: Instant) -> Link {
        let key = LinkKey(client: client?.unmapped.bytes ?? [], conditions: conditions)
        return state.withLock { state in
            if let known = state.links[key]?.link { return known }
            let link = Link(conditions, begins: now)
            state.links = state.links.filter { $0.value.link != nil }
            state.links[key] = WeakLink(link: link)
            return link
        }
    }
}
