import JSON
import Profiles
import Protobuf

/// What routes and templates have asked for in a request beyond its head, as far as it is known.
///
/// The object serves one request after the other.
final class RequestLookahead {
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
    /// - Parameter headLength: bytes that conditions may have to go through.
    func meets(_ condition: RequestCondition, _ view: RequestView, headLength: Int) -> Bool {
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
    var isLong: Bool { steps > Self.maxSteps / 8 }

    /// Another request begins.
    func begin() {
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
