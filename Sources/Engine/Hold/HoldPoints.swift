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

/// The points of an exchange at which breakpoints may hold it.
struct HoldPoints {
    let exchange: ClientExchange

    /// Lets a request be responded to while there are breakpoints, which may hold it and its response.
    ///
    /// - Parameter responder: claims the request without a route.
    @inline(never)
    func respond(
        through responder: (any Responder)?, at breakpoints: Breakpoints
    ) async throws(EngineFailure) {
        guard responder == nil || responder is ForwardResponder else {
            return try await exchange.respond(through: responder)
        }
        var subject = subjectOfNow
        var claiming = responder
        if let breakpoint = breakpoint(at: .request, subject) {
            switch try await holdRequest(breakpoint, subject) {
            case .goOn, .reply: break
            case .edited(let message): try takeEdited(message)
            case .respond(let response):
                return await exchange.respond(
                    response,
                    extra: Array("Shunt-Answered-By: shunt; held\r\n".utf8)
                        + (response.namesReaders ? [] : exchange.request.corsFields()))
            case .drop: return dropHeld()
            }
            // Other profiles may count by now.
            (subject, claiming) = (subjectOfNow, RouteChoice(exchange: exchange).responder)
        }
        guard breakpoints.watchResponse(to: subject) else { return try await exchange.respond(through: claiming) }
        try await respondHolding(subject, claiming)
    }

    /// What the filters of breakpoints see, with the profile and the device of the client.
    ///
    /// The profile is not chosen by this: while it is held, the request waits for no response of an environment.
    private var subjectOfNow: HoldSubject {
        let routing = Routing(client: exchange.client, request: exchange.request)
        let choice = exchange.state.currentEnvironment.flatMap { try? routing.choosePlan($0) }
        if let choice {
            exchange.metrics.didChoose(choice)
            exchange.recording?.use(choice.session?.redaction ?? choice.plan.redaction)
        }
        return HoldSubject(
            exchange, profile: choice?.plan.profile.name, session: choice?.session?.session.id,
            device: routing.device?.0.name, now: wallClock())
    }

    func breakpoint(at stage: FilterStage, _ subject: HoldSubject) -> Breakpoint? {
        exchange.state.breakpoints?.first(at: stage, subject)
    }

    // MARK: Requests

    private func holdRequest(
        _ breakpoint: Breakpoint, _ subject: HoldSubject
    ) async throws(EngineFailure) -> HoldDecision {
        if OriginResponder.isSentFirst(exchange), !exchange.request.upgrade.isAsked {
            try await exchange.body.buffer(max: RequestBody.longestHeld, mayStream: true, exchange.recording)
        }
        var length: UInt64?
        if case .length(let known) = exchange.request.head.framing { length = known }
        let hasContent = exchange.request.head.framing != .none
        var message = HeldMessage(
            isRequest: true, method: exchange.request.head.method, head: exchange.request.unlabelled,
            content: hasContent ? (exchange.body.isBuffered ? exchange.body.buffered?.bytes : nil) : [], length: length,
            isStream: exchange.client.channel.isStream, hasContent: hasContent,
            limits: exchange.state.limits.ofRequests,
            memory: exchange.body.buffered?.memory)
        message.trailers = exchange.body.buffered.map { $0.trailers.dropLast(2) } ?? []
        guard let held = hold(breakpoint, subject, message) else { return .goOn(.asked) }
        let decision = try await decision(on: held)
        // It is routed by what is active now.
        exchange.forgetRoute()
        return decision
    }

    private func takeEdited(_ message: EditedMessage) throws(EngineFailure) {
        let hasBody =
            message.content.map { !$0.isEmpty || exchange.body.buffered?.trailers.isEmpty == false }
            ?? (exchange.request.head.framing != .none)
        do throws(HTTPFailure) {
            let head = try OwnedHead(
                message.head, limits: exchange.state.limits, isStream: exchange.client.channel.isStream,
                hasBody: hasBody)
            exchange.request.received.exchange(with: head)
            head.release(exchange.state)
        } catch {
            throw EngineFailure(.client, .route, status: error.status, "the edited request: \(error.reason)")
        }
        if let content = message.content { exchange.body.replace(by: content) }
        if !message.changes.isEmpty { exchange.metrics.changes.insert(.heldRequest) }
    }

    private func dropHeld() {
        exchange.metrics.didFail(EngineFailure(.proxy, .deliver, status: 500, "it was dropped at a breakpoint"))
        exchange.client.mustClose = true
        exchange.client.channel.abort()
    }

    // MARK: Responses

    private func respondHolding(_ subject: HoldSubject, _ responder: (any Responder)?) async throws(EngineFailure) {
        // Responses to pipelined requests may wait before it.
        guard await exchange.client.flush() else { throw .clientLeft("the connection was closed") }
        let channel = HoldChannel(exchange, subject)
        exchange.client.use(channel)
        do throws(EngineFailure) { try await exchange.respond(through: responder) } catch {
            if channel.passBroken() { _ = await exchange.client.flush() }
            await exchange.fail(error)
        }
        exchange.client.use(channel.inner)
        channel.remove()
        if channel.wasDropped { return dropHeld() }
        guard let whole = channel.whole, exchange.client.channel.isOpen else { return }
        var decision = HoldDecision.goOn(.asked)
        if let held = hold(whole.breakpoint, whole.subject, whole.message) {
            decision = try await self.decision(on: held)
        }
        switch decision {
        case .drop: dropHeld()
        case .edited(let edited):
            didEditResponse(edited)
            let content = edited.content ?? []
            exchange.recording?.letGo(edited.changes.contains("body") ? content : nil)
            exchange.metrics.bytes.response = UInt64(content.count)
            await send(edited, content)
        case .goOn, .respond, .reply:
            await send(channel.head, channel.body, hasBody: channel.hasBody, trailers: channel.trailers ?? [])
        }
    }

    /// Its head is recorded as it is sent, and so is its body, which stands beside the one that came.
    func didEditResponse(_ message: EditedMessage) {
        guard !message.changes.isEmpty else { return }
        exchange.metrics.changes.insert(.heldResponse)
        var head = ResponseHead()
        if let length = try? head.parse(message.head.span, to: exchange.request.head.method),
            length == message.head.count
        {
            exchange.metrics.didRespond(head.status, exchange.metrics.responseVersion)
        }
        exchange.recording?.add(.clientResponse, message.head.span)
    }

    private func send(_ edited: EditedMessage, _ content: [UInt8]) async {
        let trailers = edited.trailers
        guard !trailers.isEmpty, !exchange.client.channel.isStream else {
            return await send(
                edited.head, content, hasBody: !content.isEmpty || !trailers.isEmpty, trailers: trailers)
        }
        let body = PacedPiece(wait: 0, bytes: content[...]).asChunk.bytes + "0\r\n".utf8 + trailers + "\r\n".utf8
        await send(edited.head, Array(body), hasBody: true, trailers: [])
    }

    private func send(_ head: [UInt8], _ body: [UInt8], hasBody: Bool, trailers: [UInt8]) async {
        let channel = exchange.client.channel
        channel.reserveOutput(head.count)
        channel.output.grow(by: head.count)
        _ = channel.output.appendWhole(head)
        channel.didWriteHead(hasBody: hasBody)
        guard await exchange.client.deliver(body) else { return }
        if channel.isStream { channel.finishWriting(trailers) }
        _ = await exchange.client.flush()
    }

    /// Of an exchange that its log tells about: a stream may have any number.
    private static let maxHolds = 32

    // MARK: The wait

    func hold(_ breakpoint: Breakpoint, _ subject: HoldSubject, _ message: HeldMessage) -> HeldExchange? {
        let (now, wake) = (exchange.state.core.now, exchange.client.waiter.remoteWake)
        let rules =
            exchange.state.currentEnvironment?.plan(named: subject.profile ?? "")?.redaction?.rules ?? RedactionRules()
        return exchange.state.breakpoints?.hold {
            HeldExchange($0, breakpoint, subject, message, rules, now: now, wake: wake)
        }
    }

    /// Waits for a decision or the end of the time limit; other timeouts of client and origin do not run meanwhile.
    private func decision(on held: HeldExchange) async throws(EngineFailure) -> HoldDecision {
        exchange.client.waiter.note("the decision about a held exchange")
        while true {
            if let decision = held.decision ?? expiry(of: held) {
                end(held, decision)
                return decision
            }
            if exchange.state.isAborting || exchange.client.waiter.isCancelled || exchange.client.hasLeft {
                end(held, nil)
                throw exchange.state.isAborting ? .aborted : .clientClosed
            }
            exchange.client.waiter.deadline = end(of: held)
            await exchange.client.waiter.park()
        }
    }

    func end(of held: HeldExchange) -> Instant {
        held.start.after(UInt64(held.breakpoint.seconds) * Limits.second)
    }

    /// The decision for an exchange whose time is over.
    func expiry(of held: HeldExchange) -> HoldDecision? {
        exchange.state.core.now >= end(of: held) ? .goOn(.time) : nil
    }

    /// It goes on now; without a decision the client has left.
    func end(_ held: HeldExchange, _ decision: HoldDecision?) {
        held.end()
        exchange.state.breakpoints?.forget(held)
        guard exchange.metrics.incidents.holds.count < Self.maxHolds else { return }
        exchange.metrics.incidents = exchange.metrics.incidents.adding(
            Exchange.Hold(
                phase: held.phase.rawValue, microseconds: (exchange.state.core.now - held.start) / 1000,
                outcome: decision?.text ?? "the client left"))
    }
}
