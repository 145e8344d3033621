import Exchanges
import HTTP
import Profiles
package import Reactor
import Rewriting

/// Times, counts and facts of the exchange under way, for the log and the store.
///
/// The object serves one exchange after the other. Texts and references are kept only where an observer or a store
/// wants them.
package final class ExchangeMetrics {
    /// The exchange is to be logged or stored.
    private(set) var isObserved = false
    var clock = ExchangeClock()
    private(set) var request = RequestDescription()
    private(set) var profile: String?
    /// The route that responds; in a chain the last one that was tried.
    private(set) var route: RoutePlan?
    /// How the profile was chosen.
    private(set) var reason: ProfileChoice.Source?
    private(set) var session: ClientSession?
    /// The origin that was tried last, with or without a connection.
    private(set) var address: OriginAddress?
    private(set) var origin: OriginConnection?
    /// Replaced as a whole.
    var incidents = ExchangeIncidents()
    private var noted: RewriteChanges = []
    /// The connection to the origin had served before.
    private(set) var isReused = false
    private(set) var retries = 0
    var bytes = Exchange.ByteCounts()
    /// The status of the final head; nil before it.
    private(set) var status: Int?
    private(set) var responseVersion = HTTPVersion.http11
    /// The status of a gRPC call; nil where none has come.
    var callStatus: UInt16?
    /// The final head is on its way: no other response can be sent.
    private(set) var hasResponseBegun = false
    private(set) var failure: EngineFailure?
    /// The trace that it belongs to; nil without tracing.
    private(set) var trace: TraceUse?
    private var localResponder = "shunt"

    /// What was changed on the way; noted in a copy meanwhile.
    var changes: RewriteChanges {
        get { noted }
        set { noted = newValue }
    }

    /// The kind of responder, in a word.
    var responder: String { origin == nil ? localResponder : "origin" }

    /// The request's first bytes have arrived.
    package func begin(now: Instant) {
        if isObserved { ignore() }
        if !incidents.isEmpty { incidents = ExchangeIncidents() }
        (failure, trace, retries) = (nil, nil, 0)
        (status, hasResponseBegun, localResponder) = (nil, false, "shunt")
        bytes = Exchange.ByteCounts()
        changes = []
        callStatus = nil
        clock = ExchangeClock(start: now)
    }

    /// Leaves the exchange out of log and store.
    func ignore() {
        (isObserved, isReused) = (false, false)
        request = RequestDescription()
        (profile, route, reason, session, address, origin) = (nil, nil, nil, nil, nil, nil)
    }

    // MARK: The request

    /// It is to be logged or stored.
    func observe(_ request: RequestDescription) {
        isObserved = true
        self.request = request
    }

    /// Replaces the value of a query parameter in the recorded URL, also with `--keep-secrets`.
    func hide(parameter name: [UInt8]) { if isObserved { request = request.hiding(parameter: name) } }

    // MARK: The trace

    func begin(_ trace: TraceUse) { self.trace = trace }

    /// An origin is asked.
    @inline(never)
    func beginAttempt(at origin: OriginPlan, of trace: TraceUse, _ state: WorkerState) {
        trace.beginAttempt(at: origin.name, after: clock.elapsed(state.core.now), &state.traceNumbers)
    }

    // MARK: The way

    func didChoose(_ choice: Choice) {
        guard isObserved else { return }
        profile = choice.plan.profile.name
        (reason, session) = (choice.reason, choice.session?.session)
    }

    func didChoose(_ route: RoutePlan) { if isObserved { self.route = route } }

    func willTry(_ address: OriginAddress) { if isObserved { self.address = address } }

    /// A connection to an origin is ready.
    func didConnect(_ connection: OriginConnection, now: Instant) {
        clock.didConnect(now: now)
        guard isObserved else { return }
        origin = connection
        isReused = connection.useCount > 0
    }

    func willRespond(as responder: String) { localResponder = responder }

    /// What was kept of an origin responds.
    func willRespondStale() {
        (localResponder, origin) = ("kept", nil)
        changes.insert(.stale)
    }

    /// What was wrong with what the origin sent.
    func note(ofOrigin text: String) { incidents = incidents.adding(ofOrigin: text) }

    func didRetry() { retries += 1 }

    // MARK: The response

    /// The final head was written, by Shunt or as an origin sent it.
    func didRespond(_ status: Int, _ version: HTTPVersion = .http11) {
        self.status = status
        responseVersion = version
        hasResponseBegun = true
    }

    func didFail(_ failure: EngineFailure) { self.failure = failure }

    /// Releases the connection, which serves other exchanges now.
    func end() { origin = nil }
}
