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
    @inline(__always)
    func takeSessionLabel() {
        if sessionLabel != nil { sessionLabel = nil }
        // Few paths begin with an underline, and are compared.
        let path = head.path
        guard path.count > SessionLabel.shortest, bytes[path.lowerBound + 1] == UInt8(ascii: "_") else { return }
        readSessionLabel()
    }

    @inline(never)
    private func readSessionLabel() {
        guard head.targetForm == .origin, let id = SessionLabel.identifier(in: bytes, head.path) else { return }
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

    /// A body of JSON as far as it was read for a route or a template.
    struct Content {
        let json: JSONValue
        /// Bytes of its text.
        let length: Int
        /// The memory that it takes.
        let memory: HeldMemory
    }

    /// A route asks for something in the body, which was not read yet.
    private(set) var wantsBody = false
    /// The message of a call that the route asks for, in place of a JSON body.
    private(set) var wantedMessage: GRPCMessage?
    private(set) var isBodyRead = false
    /// The body where it is JSON, and was read for a route or a template.
    private(set) var content: Content?
    /// Steps that conditions of routes have taken on the loop, see ``RequestCondition/steps(over:)``.
    private var steps = 0
    /// Conditions that cost more than the steps that are left, with their results where those are known.
    private var questions: [Question] = []
    private var answers: [RequestCondition: Bool] = [:]
    private static let maxSteps = 8 * RequestBody.shortWork

    /// The choice of a route needs something that is not known yet.
    var isOpen: Bool { wantsBody || !questions.isEmpty }

    func wantBody(_ message: GRPCMessage?) { (wantsBody, wantedMessage) = (true, message) }

    /// Leaves open what is not known.
    func leaveOpen() {
        wantsBody = false
        questions = []
    }

    func didReadBody(_ content: Content?) {
        (wantsBody, isBodyRead) = (false, true)
        self.content = content
    }

    /// The route is chosen: a long body is read again by what still needs it, since its tree takes much memory.
    func didChooseRoute() {
        if let content, content.length > RequestBody.shortWork { (isBodyRead, self.content) = (false, nil) }
    }

    /// Whether a condition is met; one that takes long is a question for another thread, and not met until then.
    func meets(_ condition: RequestCondition, _ view: RequestView) -> Bool {
        let more = condition.steps(over: condition.needsBody ? content?.length ?? 0 : headLength)
        steps += more
        guard steps > Self.maxSteps, more > 0 else { return condition.isMet(by: view) }
        if let answer = answers[condition] { return answer }
        let question = Question(condition, view)
        questions = questions + [question]
        return false
    }

    func takeQuestions() -> [Question] {
        defer { questions = [] }
        return questions
    }

    func know(_ answers: [RequestCondition: Bool]) { self.answers.merge(answers) { first, _ in first } }

    /// The routes of the request take long to be compared with it.
    var isLong: Bool { steps > Self.maxSteps / 8 || headLength > 4096 }

    private var headLength: Int { max(head.pathAndQuery.upperBound, head.fields.last?.line.upperBound ?? 0) }

    func pass(mock name: String) { passedMocks = passedMocks + [name] }

    func note(_ visit: SiteVisit?) { self.visit = visit }

    /// Forgets the route of the last request.
    func forgetRoute() {
        (labelLength, cors) = (0, nil)
        if visit != nil { visit = nil }
        if session != nil { session = nil }
        if !passedMocks.isEmpty { passedMocks = [] }
        forgetContent()
        if steps > 0 { (steps, answers) = (0, [:]) }
    }

    /// Gives back the memory of what was read ahead.
    func forgetContent() {
        wantsBody = false
        if isBodyRead { (isBodyRead, content) = (false, nil) }
        if !questions.isEmpty { questions = [] }
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
