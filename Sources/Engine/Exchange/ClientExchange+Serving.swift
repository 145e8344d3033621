import Bytes
import HTTP
import Profiles
import Reactor
import Rewriting

extension ClientExchange {
    /// Who answers a request.
    private enum Responder {
        case nobody, handler, page, itself
        case preflight(RoutePlan)
        case route(RoutePlan, Environment)
    }

    /// Answers the request whose head was just read.
    ///
    /// This is the life of a request. Here and further down, what does not wait stands apart from what does: whatever
    /// lies beside a wait is the memory of every exchange that waits.
    func exchange() async {
        state.counters.active += 1
        defer { state.counters.active -= 1 }
        do throws(EngineFailure) {
            switch try begin() {
            case .nobody: break
            case .handler: await answerByHandler()
            case .page: await answerPage()
            case .itself: try await answerForItself()
            case .preflight(let route): await answerPreflight(route)
            case .route(let route, let environment): try await answer(by: route, in: environment, nil)
            }
        } catch {
            await fail(error)
        }
    }

    @inline(never)
    private func begin() throws(EngineFailure) -> Responder {
        if state.isDraining || !request.keepAlive { mustClose = true }
        let head = headLength > 0 ? inputBytes.extracting(0..<headLength) : headBytes
        if state.isObserved { notes.describe(request, head, isSecure: isSecure, isStream: channel.isStream) }
        record(head)
        guard let environment = state.currentEnvironment else { return state.handler == nil ? .nobody : .handler }
        try refuseConnect()
        if state.hasPages, asksForPage {
            forgetExchange()
            return .page
        }
        if maxForwards == 0 { return .itself }
        let choice = try choosePlan(environment)
        let route = try chooseRoute(choice.plan)
        cors = route.cors
        if cors != nil, CORSRules.isPreflight(method: request.method, names: request.names) { return .preflight(route) }
        return .route(route, environment)
    }

    @inline(never)
    private func answerByHandler() async { if let handler = state.handler { await handle(with: handler) } }

    @inline(never)
    private func answerPage() async { if let pages = state.pages { await handle(with: pages) } }

    /// Lets a route answer; in a chain it may decline, by throwing.
    func answer(by route: RoutePlan, in environment: Environment, _ turn: Turn?) async throws(EngineFailure) {
        if notes.isObserved { notes.route = route }
        if let guarded = route.guarded { try await admit(by: guarded, route) }
        switch route.answer {
        case .mock: try await answerByMock(route, turn)
        case .origin(let use):
            try await relay(through: state.pool(use.index, of: environment), use, turn)
            endExchange(status: answer.status)
        case .chain: try await answerByChain(route, environment, turn)
        }
    }

    @inline(never)
    private func answerByMock(_ route: RoutePlan, _ turn: Turn?) async throws(EngineFailure) {
        guard case .mock(let mock) = route.answer else { return }
        if let fallback = turn?.fallback, fallback.statuses.contains(mock.status) {
            throw EngineFailure(
                .origin, .wait, status: mock.status, "the mock answered \(mock.status)", kind: .declined)
        }
        if hasStrayContent { mustClose = true }
        let readers = mock.namesReaders ? nil : cors ?? route.cors
        await answerLocally(mock, extra: withHops(route.answeredBy) + (readers.map { corsFields($0) } ?? []))
        endExchange(status: mock.status)
    }

    /// Tells the client of a failure, as far as it can still be told, and writes it down.
    @inline(never)
    private func fail(_ failure: EngineFailure) async {
        state.counters.failures += 1
        if notes.hasAnswerBegun {
            // A cut-off answer must not look like a whole one.
            mustClose = true
            channel.abort()
            endExchange(status: answer.status, failure: failure)
            return
        }
        if failure.side == .client && failure.stage != .route { mustClose = true }
        if hasStrayContent { mustClose = true }
        await answerLocally(
            .failure(failure.after(notes.hops), wantsHTML: wantsHTML), extra: cors.map { corsFields($0) } ?? [])
        endExchange(status: failure.status, failure: failure)
    }

    /// The head has left the input, and content that may still come would be taken for the next request.
    private var hasStrayContent: Bool { !channel.isStream && headLength == 0 && held?.isComplete != true }

    /// A browser's navigation names HTML first among what it accepts.
    private var wantsHTML: Bool {
        guard let accept = request.field(.accept) else { return false }
        let bytes = headBytes
        let text = Array("text/html".utf8)
        guard accept.value.count >= text.count else { return false }
        for index in text.indices where bytes[accept.value.lowerBound + index] != text[index] { return false }
        return true
    }

    private func refuseConnect() throws(EngineFailure) {
        guard request.method == .connect else { return }
        throw EngineFailure(
            .client, .route, status: 501, "CONNECT asks for a forward proxy, and Shunt is a reverse proxy",
            advice: "Use Shunt's address as the base URL of the client, not as its proxy.")
    }
}

/// What the parts of one exchange have to know of each other while a chain answers.
final class Turn {
    /// When the route is to leave the answer to somebody else; nil where it is the last that is asked.
    let fallback: FallbackSettings?
    /// How many chains lead here.
    let depth: Int

    init(fallback: FallbackSettings?, depth: Int) {
        self.fallback = fallback
        self.depth = depth
    }
}

extension String {
    /// Text of bytes that came from the network; what is no UTF-8 is replaced.
    init(_ span: Span<UInt8>) { self = span.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }
}
