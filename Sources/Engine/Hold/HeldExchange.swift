import Bytes
public import Exchanges
import Platform
import Reactor
import Redaction
import Synchronization

/// What becomes of a held exchange.
enum HoldDecision: Sendable {
    /// Why it goes on as it is.
    enum Reason: String {
        case asked = "continued", time = "time limit", removed = "breakpoint removed", ended = "stream ended"
    }

    case goOn(Reason)
    case edited(EditedMessage)
    case respond(LocalResponse)
    /// A message to the sender of the one that is held, which does not go on.
    case reply(InjectedMessage)
    case drop

    /// For the log.
    var text: String {
        switch self {
        case .goOn(let reason): reason.rawValue
        case .edited(let message):
            message.changes.isEmpty ? Reason.asked.rawValue : "edited: \(message.changes.joined(separator: ", "))"
        case .respond, .reply: "responded instead"
        case .drop: "dropped"
        }
    }

    /// Whether an origin gets something else than what was held.
    ///
    /// - Parameter isFromClient: that of a held message.
    func changesMessage(forOrigin isFromClient: Bool) -> Bool {
        switch self {
        case .edited(let message): isFromClient && !message.changes.isEmpty
        case .reply: !isFromClient
        case .goOn, .respond, .drop: false
        }
    }

    /// Something else happens than what would have happened without the breakpoint.
    var isChange: Bool {
        switch self {
        case .goOn: false
        case .edited(let message): !message.changes.isEmpty
        case .respond, .reply, .drop: true
        }
    }
}

/// An exchange that waits at a breakpoint for a decision, at most until its time limit.
///
/// Shared by its worker and those who decide.
public final class HeldExchange: Sendable {
    public let id: Int
    public let breakpoint: Breakpoint
    public let phase: Breakpoint.Phase
    public let method: String
    public let url: String
    public let client: String
    public let device: String?
    public let profile: String?
    /// Of a response, and of the head before a message.
    public let status: Int?
    /// Of a message.
    public var facts: MessageFacts? { message.facts }
    /// Microseconds since 1970.
    public let since: Int64
    /// By the loop's clock.
    let start: Instant
    let message: HeldMessage
    private let rules: RedactionRules
    private let state = Mutex(State())

    private struct State {
        var decision: HoldDecision?
        /// Why the guard has refused the last one.
        var refusal: HoldFailure?
        var isOver = false
        var wake: (@Sendable () -> Void)?
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    init(
        _ id: Int, _ breakpoint: Breakpoint, _ subject: HoldSubject, _ message: HeldMessage, _ rules: RedactionRules,
        now: Instant, wake: @escaping @Sendable () -> Void
    ) {
        (self.id, self.breakpoint, self.message, self.rules) = (id, breakpoint, message, rules)
        start = now
        phase = message.facts != nil ? .message : message.isRequest ? .request : .response
        (method, client, device, profile) = (subject.method, subject.clientAddress, subject.device, subject.profile)
        url = Self.redactor(rules).redact(url: subject.url)
        status = subject.status
        since = wallClock()
        state.withLock { $0.wake = wake }
    }

    /// Equal secrets look equal in all held exchanges of a process.
    private static let key: [UInt8] = {
        var random = SystemRandomNumberGenerator()
        return (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
    }()

    private static func redactor(_ rules: RedactionRules) -> Redactor { Redactor(key: key, rules: rules) }

    private var form: HeldForm { HeldForm(message, Self.redactor(rules)) }

    /// Milliseconds until it goes on by itself.
    public var millisecondsLeft: Int {
        max(0, breakpoint.seconds * 1000 - Int((wallClock() - since) / 1000))
    }

    // MARK: For those who decide

    /// Lets the exchange go on, changed or as it is.
    public func goOn(_ edit: HoldEdit = HoldEdit()) throws(HoldFailure) {
        try settle(edit.isEmpty ? .goOn(.asked) : .edited(try form.edited(edit)))
    }

    /// Sends a response in the place of what would have come.
    public func respond(_ edit: HoldEdit) throws(HoldFailure) {
        if let facts = message.facts { return try settle(.reply(try HeldForm.reply(edit, to: facts))) }
        guard phase == .request else {
            throw .wrong("a response is held, and no request", "Edit status, fields and body, and let it go on.")
        }
        try settle(.respond(try HeldForm.response(edit)))
    }

    /// Ends the client's connection, or its stream of HTTP/2.
    public func drop() throws(HoldFailure) { try settle(.drop) }

    private func settle(_ decision: HoldDecision) throws(HoldFailure) {
        guard decide(decision) else { throw .gone(id) }
    }

    /// False where it was decided before.
    @discardableResult
    func decide(_ decision: HoldDecision) -> Bool {
        let (isFirst, wake) = state.withLock { state in
            guard state.decision == nil, !state.isOver else { return (false, nil as (@Sendable () -> Void)?) }
            (state.decision, state.refusal) = (decision, nil)
            return (true, state.wake)
        }
        wake?()
        return isFirst
    }

    /// Waits until the guard of production has judged what was decided about a message; then that is done.
    public func judge() async throws(HoldFailure) {
        guard phase == .message else { return }
        await withCheckedContinuation { continuation in
            let isJudged = state.withLock { state in
                if state.decision == nil || state.isOver { return true }
                state.waiting.append(continuation)
                return false
            }
            if isJudged { continuation.resume() }
        }
        if let refusal = state.withLock({ $0.refusal }) { throw refusal }
    }

    // MARK: For its worker

    var decision: HoldDecision? { state.withLock { $0.decision } }

    /// The decision is not carried out, and the message stays held.
    func refuse(_ failure: HoldFailure) {
        finish {
            ($0.decision, $0.refusal) = (nil, failure)
        }
    }

    private func finish(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// It goes on now, or is gone: the worker is woken no more.
    func end() { finish { ($0.isOver, $0.wake) = (true, nil) } }
}

extension HeldExchange {
    /// What is shown of it to be edited; secrets are replaced, and put back where their replacement stays.
    public struct View: Sendable {
        public let method: String
        public let host: String
        /// Path and query.
        public let path: String
        public let fields: [(name: String, value: String)]
        /// nil where there is none, or none that can be edited.
        public let body: String?
        /// A body that is no text; nil where it cannot be edited.
        public let binary: [UInt8]?
        /// Why there is no body to be edited; nil where there is nothing to say.
        public let note: String?
    }

    public var view: View {
        let form = form
        let isRequest = phase == .request
        var (body, binary, note): (String?, [UInt8]?, String?) = (nil, nil, nil)
        switch form.content {
        case .none: body = ""
        case .text(let shown, _):
            body = shown
            if form.hidesContent { note = "Some of its secrets can only be put back with the body as it is." }
        case .bytes(let count, let plain):
            note = "The body is no text: \(count) bytes."
            binary = plain
        case .notHeld(let length):
            note =
                "The body is too long to be held, or a stream: it goes on as it comes"
                + (length.map { ", \($0) bytes." } ?? ".")
        }
        return View(
            method: isRequest ? form.start.first ?? "" : method, host: isRequest ? form.host : "",
            path: isRequest ? form.shownPath : "",
            fields: form.fields.filter { !$0.isOwn }.map { ($0.name, $0.shown) }, body: body, binary: binary,
            note: note)
    }
}
