import HTTP
import JSON
import Profiles
import Protobuf
import Rewriting

/// The request of an exchange: read once, routed once, and not changed after that.
///
/// The object serves one request after the other, so that parsing reuses its memory.
final class Request {
    /// The head as the client sent it.
    let received = OwnedHead()
    /// The environment that it is routed by, to its end: a reload meanwhile changes nothing.
    private(set) var environment: Environment?
    /// The session that it belongs to; nil for none.
    private(set) var session: SessionPlan?
    /// The identifier of its session that stood in front of the path, see ``SessionLabel``; nil for none.
    private(set) var sessionLabel: String?
    /// The kind of the profile that was chosen, whatever other profile responds in its place.
    private(set) var profileKind = ProfileKind.local
    /// Bytes of an environment's label in front of the host.
    private(set) var labelLength = 0
    /// The pages that may read the response, by the route that was chosen first, even if another one responds.
    private(set) var cors: CORSRules?
    /// The names of mocks that would have responded if they were not off.
    private(set) var passedMocks: [String] = []
    /// A page is asked for that may bring the browser to forget others; nil where no profile has that.
    private(set) var visit: SiteVisit?

    var head: RequestHead {
        // Not a getter: that would copy the head.
        _read { yield received.head }
    }

    /// The head's bytes, in which its ranges count.
    var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { _overrideLifetime(Span(_unsafeElements: received.elements), borrowing: self) }
    }

    /// A part of the head as text, or as bytes to keep.
    func text(_ range: Range<Int>) -> String { received.text(range) }
    func array(_ range: Range<Int>) -> [UInt8] { received.array(range) }

    /// Takes the label of a session from the path of a head that was just read.
    ///
    /// - Parameter stream: whose head it is; nil for one of HTTP/1.1.
    @inline(__always)
    func takeSessionLabel(_ state: WorkerState, of stream: StreamChannel? = nil) throws(HTTPFailure) {
        if sessionLabel != nil { sessionLabel = nil }
        // Few paths begin with an underline, and are compared.
        let path = head.path
        guard path.count > SessionLabel.shortest, bytes[path.lowerBound + 1] == UInt8(ascii: "_") else { return }
        try readSessionLabel(state, of: stream)
    }

    @inline(never)
    private func readSessionLabel(_ state: WorkerState, of stream: StreamChannel?) throws(HTTPFailure) {
        guard head.targetForm == .origin, let id = SessionLabel.identifier(in: bytes, head.path) else { return }
        // Routes and origins get the root's path where nothing follows the label.
        if id.upperBound == head.path.upperBound { try received.insertSlash(at: id.upperBound, state, of: stream) }
        sessionLabel = text(id)
        received.dropFromPath(id.upperBound - head.path.lowerBound)
    }

    /// The head as it was sent, without the label of a session.
    var unlabelled: [UInt8] {
        guard sessionLabel != nil else { return [UInt8](bytes) }
        return array(0..<head.target.lowerBound) + array(head.path.lowerBound..<bytes.count)
    }

    func choose(_ environment: Environment) { self.environment = environment }

    func choose(_ choice: Choice) {
        (profileKind, labelLength) = (choice.plan.profile.kind, choice.labelLength)
        if session !== choice.session { session = choice.session }
    }

    func choose(_ route: RoutePlan) { cors = route.cors }

    /// What routes have asked for beyond the head.
    let lookahead = RequestLookahead()

    /// Whether a condition is met; one that takes long is a question for another thread, and not met until then.
    func meets(_ condition: RequestCondition, _ view: RequestView) -> Bool {
        lookahead.meets(condition, view, headLength: headLength)
    }

    /// The routes of the request take long to be compared with it.
    var isLong: Bool { lookahead.isLong || headLength > 4096 }

    private var headLength: Int { max(head.pathAndQuery.upperBound, head.fields.last?.line.upperBound ?? 0) }

    func pass(mock name: String) { passedMocks = passedMocks + [name] }

    func note(_ visit: SiteVisit?) { self.visit = visit }

    /// Forgets the route of the last request.
    func forgetRoute() {
        (labelLength, cors) = (0, nil)
        if visit != nil { visit = nil }
        if session != nil { session = nil }
        if !passedMocks.isEmpty { passedMocks = [] }
        lookahead.begin()
    }
}

/// What the route of a request does to it on its way, with what is told of that; begins anew with each request.
struct Passage {
    /// The changes of the route, applied; nil where it has none.
    var edits: AppliedEdits?
    /// Nothing limits the time of the response.
    var isUntimed = false
    /// How the client of a call of gRPC-Web writes that is translated for the present origin; nil for other requests.
    var webCall: GRPC.Form?
    /// The present origin is asked for a tunnel.
    var asksForUpgrade = false
    /// It leads to production, which is locked: nothing that the guard has not checked may follow.
    var isReadOnly = false
    /// The guards of the routes that it passes, from the outside in.
    var guards: [RouteGuard] = []
    /// The body as the present origin gets it; nil where it is the client's.
    var sentBody: [UInt8]?
    /// What is put in at the origin that is asked now; nil where the client's own passes.
    var token: FetchedToken?
    /// It is one that was fetched after a 401 to this request.
    var isTokenRenewed = false
    /// The parameter that a token adds to the query.
    var tokenParameter: [UInt8]?
    /// Learns a token from the response.
    var lesson: TokenLesson?
    /// Keeps the response; nil where it is not kept.
    var keeper: ResponseKeeper?
    /// What the response brings about when it is sent.
    var effects = PendingEffects()
    /// The name of the conditions that the connection has; nil for none.
    var network: String?
    /// The fault that befell it.
    var fault: Fault?
    /// Field lines that say what a rate limit has left for the client.
    var rateFields: [UInt8] = []
    /// The age of the kept response that it gets, in seconds; nil for another response.
    var staleAge: Int64?
}
