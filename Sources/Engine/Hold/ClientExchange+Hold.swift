import Bytes
import Exchanges
import Filter
import HTTP
import Platform
import Profiles
import Reactor
import Redaction
import Rewriting
import Store

extension RequestBody {
    /// A longer body is not held with its head.
    static let longestHeld = 1 << 20
}

extension ClientExchange {
    /// Lets a request be responded to while there are breakpoints, which may hold it and its response.
    ///
    /// - Parameter responder: claims the request without a route.
    @inline(never)
    func respond(
        through responder: (any Responder)?, at breakpoints: Breakpoints
    ) async throws(EngineFailure) {
        guard responder == nil || responder is ForwardResponder else { return try await respond(through: responder) }
        var subject = holdSubject
        var claiming = responder
        if let breakpoint = breakpoint(at: .request, subject) {
            switch try await holdRequest(breakpoint, subject) {
            case .goOn, .reply: break
            case .edited(let message): try takeEdited(message)
            case .respond(let response):
                return await respond(
                    response,
                    extra: Array("Shunt-Answered-By: shunt; held\r\n".utf8)
                        + (response.namesReaders ? [] : request.corsFields()))
            case .drop: return dropHeld()
            }
            // Other profiles may count by now.
            (subject, claiming) = (holdSubject, claimingResponder)
        }
        guard breakpoints.watchResponse(to: subject) else { return try await respond(through: claiming) }
        try await respondHolding(subject, claiming)
    }

    /// What the filters of breakpoints see, with the profile and the device of the client.
    ///
    /// The profile is not chosen by this: while it is held, the request waits for no response of an environment.
    private var holdSubject: HoldSubject {
        let routing = Routing(client: client, request: request)
        let choice = state.currentEnvironment.flatMap { try? routing.choosePlan($0) }
        if let choice {
            metrics.didChoose(choice)
            recording?.use(choice.session?.redaction ?? choice.plan.redaction)
        }
        return HoldSubject(
            self, profile: choice?.plan.profile.name, session: choice?.session?.session.id,
            device: routing.device?.0.name, now: wallClock())
    }

    func breakpoint(at stage: FilterStage, _ subject: HoldSubject) -> Breakpoint? {
        state.breakpoints?.first(at: stage, subject)
    }

    // MARK: Requests

    private func holdRequest(
        _ breakpoint: Breakpoint, _ subject: HoldSubject
    ) async throws(EngineFailure) -> HoldDecision {
        if endsBeforeItsResponse, !request.readUpgrade() {
            try await body.buffer(max: RequestBody.longestHeld, mayStream: true, recording)
        }
        var length: UInt64?
        if case .length(let known) = request.head.framing { length = known }
        let hasContent = request.head.framing != .none
        let message = HeldMessage(
            isRequest: true, method: request.head.method, head: request.unlabelled,
            content: hasContent ? (body.isBuffered ? body.buffered?.bytes : nil) : [], length: length,
            isStream: client.channel.isStream, hasContent: hasContent, limits: state.limits.ofRequests,
            memory: body.buffered?.memory)
        guard let held = hold(breakpoint, subject, message) else { return .goOn(.asked) }
        let decision = try await decision(on: held)
        // It is routed by what is active now.
        forgetRoute()
        return decision
    }

    private func takeEdited(_ message: EditedMessage) throws(EngineFailure) {
        let hasBody = message.content.map { !$0.isEmpty } ?? (request.head.framing != .none)
        do throws(HTTPFailure) {
            let head = try OwnedHead(
                message.head, limits: state.limits, isStream: client.channel.isStream, hasBody: hasBody)
            request.received.exchange(with: head)
            head.release(state)
        } catch {
            throw EngineFailure(.client, .route, status: error.status, "the edited request: \(error.reason)")
        }
        if let content = message.content { body.replace(by: content) }
        if !message.changes.isEmpty { metrics.changes.insert(.heldRequest) }
    }

    private func dropHeld() {
        metrics.didFail(EngineFailure(.proxy, .deliver, status: 500, "it was dropped at a breakpoint"))
        client.mustClose = true
        client.channel.abort()
    }

    // MARK: Responses

    private func respondHolding(_ subject: HoldSubject, _ responder: (any Responder)?) async throws(EngineFailure) {
        // Responses to pipelined requests may wait before it.
        guard await client.flush() else { throw .clientLeft("the connection was closed") }
        let channel = HoldChannel(self, subject)
        client.use(channel)
        do throws(EngineFailure) { try await respond(through: responder) } catch { await fail(error) }
        client.use(channel.inner)
        channel.remove()
        if channel.wasDropped { return dropHeld() }
        guard let whole = channel.whole, client.channel.isOpen else { return }
        var decision = HoldDecision.goOn(.asked)
        if let held = hold(whole.breakpoint, whole.subject, whole.message) {
            decision = try await self.decision(on: held)
        }
        switch decision {
        case .drop: dropHeld()
        case .edited(let edited):
            didEditResponse(edited)
            let content = edited.content ?? []
            recording?.letGo(edited.changes.contains("body") ? content : nil)
            metrics.bytes.response = UInt64(content.count)
            await send(edited.head, content, hasBody: !content.isEmpty, trailers: [])
        case .goOn, .respond, .reply:
            await send(channel.head, channel.body, hasBody: channel.hasBody, trailers: channel.trailers ?? [])
        }
    }

    /// Its head is recorded as it is sent, and so is its body, which stands beside the one that came.
    func didEditResponse(_ message: EditedMessage) {
        guard !message.changes.isEmpty else { return }
        metrics.changes.insert(.heldResponse)
        var head = ResponseHead()
        if let length = try? head.parse(message.head.span, to: request.head.method), length == message.head.count {
            metrics.didRespond(head.status, metrics.responseVersion)
        }
        recording?.add(.clientResponse, message.head.span)
    }

    private func send(_ head: [UInt8], _ body: [UInt8], hasBody: Bool, trailers: [UInt8]) async {
        let channel = client.channel
        channel.reserveOutput(head.count)
        channel.output.grow(by: head.count)
        _ = channel.output.appendWhole(head)
        channel.didWriteHead(hasBody: hasBody)
        guard await client.deliver(body) else { return }
        if channel.isStream { channel.finishWriting(trailers) }
        _ = await client.flush()
    }

    /// Of an exchange that its log tells about: a stream may have any number.
    private static let maxHolds = 32

    // MARK: The wait

    func hold(_ breakpoint: Breakpoint, _ subject: HoldSubject, _ message: HeldMessage) -> HeldExchange? {
        let (now, wake) = (state.core.now, client.waiter.remoteWake)
        let rules = state.currentEnvironment?.plan(named: subject.profile ?? "")?.redaction?.rules ?? RedactionRules()
        return state.breakpoints?.hold { HeldExchange($0, breakpoint, subject, message, rules, now: now, wake: wake) }
    }

    /// Waits for a decision or the end of the time limit; other timeouts of client and origin do not run meanwhile.
    private func decision(on held: HeldExchange) async throws(EngineFailure) -> HoldDecision {
        client.waiter.note("the decision about a held exchange")
        while true {
            if let decision = held.decision ?? expiry(of: held) {
                end(held, decision)
                return decision
            }
            if state.isAborting || client.waiter.isCancelled || client.hasLeft {
                end(held, nil)
                throw state.isAborting ? .aborted : .clientClosed
            }
            client.waiter.deadline = end(of: held)
            await client.waiter.park()
        }
    }

    func end(of held: HeldExchange) -> Instant {
        held.start.after(UInt64(held.breakpoint.seconds) * Limits.second)
    }

    /// The decision for an exchange whose time is over.
    func expiry(of held: HeldExchange) -> HoldDecision? { state.core.now >= end(of: held) ? .goOn(.time) : nil }

    /// It goes on now; without a decision the client has left.
    func end(_ held: HeldExchange, _ decision: HoldDecision?) {
        held.end()
        state.breakpoints?.forget(held)
        guard metrics.holds.count < Self.maxHolds else { return }
        metrics.hold(
            Exchange.Hold(
                phase: held.phase.rawValue, microseconds: (state.core.now - held.start) / 1000,
                outcome: decision?.text ?? "the client left"))
    }
}
