import Bytes
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
    private(set) var start: Instant = 0
    private(set) var method = ""
    private(set) var url = ""
    private(set) var version = ""
    private(set) var profile: String?
    /// The route that responds; in a chain the last one that was tried.
    private(set) var route: RoutePlan?
    /// How the profile was chosen.
    private(set) var reason: ProfileChoice.Source?
    private(set) var session: ClientSession?
    /// The origin that was tried last, with or without a connection.
    private(set) var address: OriginAddress?
    private(set) var origin: OriginConnection?
    /// Failed attempts at candidates of a chain, before the present one.
    private(set) var attempts: [Exchange.Attempt] = []
    private var noted: RewriteChanges = []
    /// It may have changed production, which was unlocked.
    var isUnlocked = false
    /// The production profiles to whose origins a redirect sends the client, past Shunt.
    var redirectedTo: [String] = []
    /// What was wrong with the origin's head, which was repaired.
    private(set) var originSent: [String] = []
    /// When it was held at breakpoints.
    private(set) var holds: [Exchange.Hold] = []
    /// The names of mocks that would have responded if they were not off.
    private(set) var passedMocks: [String] = []
    /// The connection to the origin had served before.
    private(set) var isReused = false
    /// When the connection to the origin was ready.
    private(set) var sendStart: Instant = 0
    private(set) var sendEnd: Instant = 0
    private(set) var firstByte: Instant = 0
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
        if isObserved { clear() }
        if !attempts.isEmpty { attempts = [] }
        if !redirectedTo.isEmpty { redirectedTo = [] }
        if !passedMocks.isEmpty { passedMocks = [] }
        if !originSent.isEmpty { originSent = [] }
        if !holds.isEmpty { holds = [] }
        (failure, trace) = (nil, nil)
        (sendEnd, firstByte, retries) = (0, 0, 0)
        (status, hasResponseBegun, localResponder) = (nil, false, "shunt")
        bytes = Exchange.ByteCounts()
        changes = []
        callStatus = nil
        start = now
    }

    private func clear() {
        isObserved = false
        (method, url, version) = ("", "", "")
        (profile, route, reason, session, address, origin) = (nil, nil, nil, nil, nil, nil)
        (isUnlocked, isReused) = (false, false)
        sendStart = 0
    }

    /// Leaves the exchange out of log and store.
    func ignore() { clear() }

    // MARK: The request

    /// - Parameter meant: the host that it is for, where it names another one.
    func describe(
        _ request: borrowing RequestHead, _ bytes: Span<UInt8>, _ meant: HostPorts.Meant?, isSecure: Bool,
        isStream: Bool
    ) {
        isObserved = true
        method = String(bytes.extracting(request.methodRange))
        version = isStream ? "HTTP/2" : request.version == .http10 ? "HTTP/1.0" : "HTTP/1.1"
        let isTLS = meant == nil && request.targetForm == .authority ? request.port == 443 : isSecure
        url = isTLS ? "https://" : "http://"
        url +=
            meant.map { String(decoding: $0.authority, as: UTF8.self) } ?? String(bytes.extracting(request.authority))
        if request.targetForm == .asterisk { url += "*" } else { url += String(bytes.extracting(request.pathAndQuery)) }
    }

    /// Replaces the value of a query parameter in the recorded URL, also with `--keep-secrets`.
    func hide(parameter name: [UInt8]) {
        guard isObserved, let mark = url.firstIndex(of: "?") else { return }
        let parts = url[mark...].dropFirst().split(separator: "&", omittingEmptySubsequences: false).map { part in
            let own = part.prefix { $0 != "=" }
            return FormCoding.decoded(Array(own.utf8)) == name ? own + "=%3Credacted%3E" : part
        }
        url = url[...mark] + parts.joined(separator: "&")
    }

    /// Describes a request that could not be read by its first line, as far as that goes.
    func describeUnreadable(_ bytes: Span<UInt8>, isStream: Bool) {
        isObserved = true
        method = "-"
        version = isStream ? "HTTP/2" : "HTTP/1.1"
        var end = 0
        while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
        var target = 0
        while target < end, bytes[target] != 0x20 { target += 1 }
        let hidden = userinfo(in: bytes, min(target + 1, end)..<end)
        let line = String(bytes.extracting(0..<hidden.lowerBound)) + String(bytes.extracting(hidden.upperBound..<end))
        url = String(line.prefix(80))
    }

    // MARK: The trace

    func begin(_ trace: TraceUse) { self.trace = trace }

    /// An origin is asked.
    @inline(never)
    func beginAttempt(at origin: OriginPlan, of trace: TraceUse, _ state: WorkerState) {
        trace.beginAttempt(at: origin.name, after: elapsed(state.core.now), &state.traceNumbers)
    }

    /// The time since the start, in microseconds.
    func elapsed(_ now: Instant) -> UInt64 { (max(now, start) - start) / 1000 }

    // MARK: The way

    func didChoose(_ choice: Choice) {
        guard isObserved else { return }
        profile = choice.plan.profile.name
        (reason, session) = (choice.reason, choice.session?.session)
    }

    func didChoose(_ route: RoutePlan) { if isObserved { self.route = route } }

    func didPass(_ mocks: [String]) { if isObserved { passedMocks = mocks } }

    func willTry(_ address: OriginAddress) { if isObserved { self.address = address } }

    /// A connection to an origin is ready.
    func didConnect(_ connection: OriginConnection, now: Instant) {
        sendStart = now
        sendEnd = 0
        firstByte = 0
        guard isObserved else { return }
        origin = connection
        isReused = connection.useCount > 0
    }

    func didSendRequest(now: Instant) { if sendEnd == 0 { sendEnd = now } }

    func willRespond(as responder: String) { localResponder = responder }

    /// What was kept of an origin responds.
    func willRespondStale() {
        (localResponder, origin) = ("kept", nil)
        changes.insert(.stale)
    }

    func hold(_ hold: Exchange.Hold) { holds = holds + [hold] }

    func note(ofOrigin text: String) { originSent = originSent + [text] }

    func didReceiveFirstByte(now: Instant) { firstByte = now }

    func didRetry() { retries += 1 }

    func didFail(_ attempt: Exchange.Attempt) { attempts = attempts + [attempt] }

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
