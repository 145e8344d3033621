import Bytes
import Platform
public import Profiles
public import Reactor
import Redaction
import Synchronization

/// What a test or a person has laid over a profile for a while: routes, states and counters that no other request sees.
///
/// Shared by all threads.
public final class ClientSession: Sendable {
    /// Sessions at a time.
    public static let limit = 256
    /// Routes of one session.
    public static let routeLimit = 1000
    /// Seconds without a request after which one ends.
    public static let allowedIdle = 1...86_400
    public static let usualIdle = 1800

    /// 16 hexadecimal digits, the first of them a decimal one.
    public let id: String
    /// What people call it.
    public let name: String?
    /// The profile under it.
    public let profile: String
    /// Whose it is; nil for the owner's of this Shunt.
    public let user: String?
    public let idleSeconds: Int
    /// What the network of its clients is like; nil as in the profile.
    public let network: NetworkConditions?
    /// Seconds since 1970.
    public let startedAt: Int64
    /// Its own counters, sequences and states.
    let mocks: Mocks
    private let lastUse: Atomic<Instant>
    private let count = Atomic<UInt64>(0)

    init(_ wish: SessionWish, over profile: String, _ mocks: Mocks, now: Instant, startedAt: Int64) {
        var generator = SystemRandomNumberGenerator()
        var bytes = (0..<8).map { _ in UInt8.random(in: 0...255, using: &generator) }
        // Paths of the admin interface tell identifiers by their first digit.
        bytes[0] = bytes[0] % 0xA0
        id = Hex.text(bytes)
        (name, user, idleSeconds, network) = (wish.name, wish.user, wish.idleSeconds, wish.network)
        (self.profile, self.startedAt) = (profile, startedAt)
        self.mocks = Mocks(apartFrom: mocks)
        lastUse = Atomic(now)
    }

    /// What its traffic is expected to be, as it was posted: checked elsewhere.
    private let expected = Mutex<[[UInt8]]>([])

    package var expectations: [[UInt8]] {
        get { expected.withLock { $0 } }
        set { expected.withLock { $0 = newValue } }
    }

    private let ownAddress = Mutex<SocketAddress?>(nil)

    /// Where it is reached without its identifier; nil without a port of its own.
    public internal(set) var address: SocketAddress? {
        get { ownAddress.withLock { $0 } }
        set { ownAddress.withLock { $0 = newValue } }
    }

    /// Requests so far.
    public var requests: UInt64 { count.load(ordering: .relaxed) }

    /// When it ends unless it is used.
    package var end: Instant {
        lastUse.load(ordering: .relaxed).after(UInt64(idleSeconds) * 1_000_000_000)
    }

    /// A request belongs to it; false where its time is over.
    /// - Parameter isNew: it is not the same request again, whose route takes more to be found.
    func use(now: Instant, isNew: Bool) -> Bool {
        let last = lastUse.load(ordering: .relaxed)
        guard now < last.after(UInt64(idleSeconds) * 1_000_000_000) else { return false }
        if isNew { count.add(1, ordering: .relaxed) }
        // Workers share the line of memory, so the time is written ten times a second at most.
        if now > last.after(100_000_000) { lastUse.store(now, ordering: .relaxed) }
        return true
    }

    /// It is looked at or changed, which counts as a use.
    func touch(now: Instant) { lastUse.store(max(now, lastUse.load(ordering: .relaxed)), ordering: .relaxed) }
}

/// What a session is to be.
public struct SessionWish: Sendable {
    public var name: String?
    /// The profile under it; nil for the active one.
    public var profile: String?
    public var user: String?
    public var idleSeconds = ClientSession.usualIdle
    public var network: NetworkConditions?
    /// It has a port of its own.
    public var hasPort = false

    public init() {}
}

/// Why something was not done with a session.
public enum SessionFailure: Error, Sendable {
    case unknown(id: String, why: String?)
    case tooMany
    case tooManyRoutes
    case noSuchProfile(ProxyError)
    case unknownRoute(String, known: [String])
    /// What is wrong with its routes.
    case routes(ProfileProblems)
    case proxy(ProxyError)
    /// No port could be opened.
    case port(SystemError)
}

/// A session as one environment serves it.
///
/// Immutable.
final class SessionPlan: Sendable {
    let session: ClientSession
    /// Its routes; those that were posted last come first.
    let layers: [SessionRoutes]
    /// They made ready for the data path; nil without any, or where they do not fit the profiles any more.
    let overlay: ProfilePlan?
    /// The states of its routes and of those of the profile under it.
    let scenarios: Scenarios
    /// Rules for secrets of its routes beside the profile's; nil without any.
    let redaction: ProfileRedaction?
    /// Why it cannot respond since the profiles were read anew.
    let problem: String?

    init(
        _ session: ClientSession, _ layers: [SessionRoutes], overlay: ProfilePlan?, _ scenarios: Scenarios,
        redaction: ProfileRedaction? = nil, problem: String? = nil
    ) {
        (self.session, self.layers, self.overlay, self.scenarios) = (session, layers, overlay, scenarios)
        (self.redaction, self.problem) = (redaction, problem)
    }

    var routeCount: Int { layers.reduce(0) { $0 + $1.names.count } }

    /// The states of a profile's scenarios in the session.
    func scenarios(of profile: Profile) -> Scenarios {
        profile.name == session.profile ? scenarios : session.mocks.scenarios(of: profile)
    }

    /// The counters and turns of a route in the session.
    func record(of route: Route) -> MockRecord? {
        route.mockKey.map { session.mocks.record(of: $0, shape: MockShape(route)) }
    }
}

/// The sessions of an environment.
struct SessionTable: Sendable {
    private(set) var plans: [String: SessionPlan] = [:]
    /// Those that have ended last, with the reason.
    private var ended: [(id: String, why: String)] = []
    private static let maxEnded = 256

    subscript(_ id: String) -> SessionPlan? { plans[id] }

    mutating func put(_ plan: SessionPlan) { plans[plan.session.id] = plan }

    mutating func end(_ id: String, _ why: String) {
        guard plans.removeValue(forKey: id) != nil else { return }
        if ended.count == Self.maxEnded { ended.removeFirst() }
        ended.append((id, why))
    }

    /// Why a session has ended; nil for one that is not known any more.
    func end(of id: String) -> String? { ended.last { $0.id == id }?.why }
}
