import Bytes
import Exchanges
import Filter
import HTTP
import Platform
import Profiles
import Reactor
import Rewriting
import Store

/// The messages of a stream that is on its way: they are edited, held, and others are put in.
struct StreamMessages {
    let exchange: ClientExchange
    private var points: HoldPoints { HoldPoints(exchange: exchange) }

    /// Whether a stream that begins goes through gates.
    var wantsGates: Bool {
        exchange.way.edits?.plan.messages != nil || exchange.state.breakpoints?.watchMessages == true
    }

    /// Sends the messages of a stream through gates, which begins now.
    func openGates(_ stream: MessageStream) {
        switch stream {
        case .webSocket(let extensions):
            let deflate = PermessageDeflate(extensions: extensions)
            openGates { WebSocketReader(from: $0, deflate: deflate, limit: MessageGate.longest) }
        case .events: openGate(EventStreamReader(limit: MessageGate.longest))
        case .unknown: return
        }
    }

    func openGates(_ reader: (MessageFacts.Sender) -> WebSocketReader) {
        openGates(
            MessageGate(reader(.client), from: .client, exchange.state.held, exchange.recording),
            MessageGate(reader(.origin), from: .origin, exchange.state.held, exchange.recording))
    }

    func openGate(_ reader: EventStreamReader) {
        openGates(nil, MessageGate(reader, exchange.state.held, exchange.recording))
    }

    private func openGates(_ request: MessageGate?, _ response: MessageGate) {
        var subject: HoldSubject?
        if exchange.state.breakpoints != nil {
            let device = Routing(client: exchange.client, request: exchange.request).device?.0.name
            subject = HoldSubject(
                exchange, profile: exchange.metrics.profile, session: exchange.request.session?.session.id,
                device: device,
                now: wallClock())
        }
        exchange.gates = MessageGates(request, response, exchange.way.edits?.plan.messages, subject, exchange)
    }

    /// The stream is over.
    func closeGates() {
        guard let gates = exchange.gates else { return }
        for held in gates.held.values { points.end(held, nil) }
        gates.alarm.end()
        exchange.gates = nil
    }

    /// Messages wait for ``tend(to:isTunnel:_:)``.
    var isWaiting: Bool { exchange.injection?.isAsked == true || exchange.gates?.hasWork(exchange) == true }

    /// Sends or holds the messages in the queue: injected messages first, then the stream's own messages.
    @inline(never)
    func tend(to use: OriginUse, isTunnel: Bool, _ memory: RelayMemory) async throws(EngineFailure) {
        await admitInjected(to: use, isTunnel: isTunnel, memory)
        for gate in exchange.gates?.all ?? [] {
            while gate.isWaiting, let gates = exchange.gates, try await tend(gate, gates, use) {}
        }
        exchange.gates?.setAlarm(exchange)
    }

    /// Sees to the first message that waits; false where it is held.
    private func tend(
        _ gate: MessageGate, _ gates: MessageGates, _ use: OriginUse
    ) async throws(EngineFailure) -> Bool {
        let item = gate.waiting[0]
        if let held = gates.held[ObjectIdentifier(gate)] {
            guard let decision = decision(on: held) else { return false }
            return await apply(decision, to: held, gate, gates, use)
        }
        guard item.isWhole, let facts = item.facts else {
            gate.pass()
            return true
        }
        if item.isText, let edits = gates.edits, edits.concern(facts.sender) {
            if let content = try await edited(item.content, by: edits, from: facts.sender) {
                gate.edit(content, isText: true)
                exchange.metrics.changes.insert(facts.sender == .client ? .clientMessages : .originMessages)
            }
        }
        let content = gate.waiting[0].edited?.content ?? item.content
        guard exchange.state.breakpoints?.watchMessages == true,
            let subject = gates.subject?.with(exchange.metrics).with(message: content, from: facts.sender),
            let breakpoint = points.breakpoint(at: .message, subject),
            let held = points.hold(
                breakpoint, subject, HeldMessage(facts, content, of: exchange.request.head.method, item.memory))
        else {
            gate.pass()
            return true
        }
        gates.held[ObjectIdentifier(gate)] = held
        return false
    }

    private func edited(
        _ content: [UInt8], by edits: MessageEdits, from sender: MessageFacts.Sender
    ) async throws(EngineFailure) -> [UInt8]? {
        let memory = edits.needsJSON(sender) ? try exchange.state.held.memory(ofTreeOf: content) : nil
        return try await exchange.body.perform(size: edits.steps(over: content.count, sender)) {
            withExtendedLifetime(memory) { edits.edited(content, from: sender) }
        }
    }

    /// What becomes of a held message, if it is decided; a WebSocket whose client has closed it is over.
    func decision(on held: HeldExchange) -> HoldDecision? {
        held.decision ?? points.expiry(of: held)
            ?? (exchange.isWebSocket && exchange.client.channel.hasEnded ? .goOn(.ended) : nil)
    }

    /// False where the message stays held, since the guard refuses what was decided.
    private func apply(
        _ decision: HoldDecision, to held: HeldExchange, _ gate: MessageGate, _ gates: MessageGates, _ use: OriginUse
    ) async -> Bool {
        let isFromClient = gate.sender == .client
        if decision.changesMessage(forOrigin: isFromClient) {
            do throws(EngineFailure) { try await admit(to: use) } catch {
                held.refuse(HoldFailure(.forbidden, error.message, advice: error.advice ?? "Edit it, or drop it."))
                return false
            }
        }
        gates.held[ObjectIdentifier(gate)] = nil
        points.end(held, decision)
        switch decision {
        case .goOn, .respond: gate.pass()
        case .drop: gate.drop()
        case .edited(let message):
            if let content = message.content { gate.edit(content, isText: !message.isBinary) }
            gate.pass()
        case .reply(let message):
            gate.drop()
            queue.admit(message)
        }
        if decision.isChange { exchange.metrics.changes.insert(.heldMessages) }
        return true
    }

    /// Judges a message of a person's for an origin: it is a write.
    func admit(to use: OriginUse) async throws(EngineFailure) {
        let deadline = exchange.client.waiter.deadline
        defer { exchange.client.waiter.deadline = deadline }
        try await Admission.admit(exchange, to: use.guardian)
    }

    // MARK: Injected messages

    /// Those that are put in.
    private var queue: InjectedMessages {
        if let known = exchange.injection { return known }
        let queue = InjectedMessages()
        exchange.injection = queue
        return queue
    }

    /// Hands a message over; `report` is called once it is to be sent, or with what keeps it from that.
    func inject(_ message: InjectedMessage, _ report: @escaping InjectedMessages.Report) {
        queue.add(message, report)
        exchange.client.waiter.wake()
    }

    /// The stream is over.
    func endInjection() {
        while let (_, report) = exchange.injection?.takeAsked() {
            report(.failure(.unfit("the stream has just ended")))
        }
        exchange.injection = nil
    }

    /// Judges the messages that have been handed over for a stream of an origin: to the origin they are writes.
    @inline(never)
    private func admitInjected(to use: OriginUse, isTunnel: Bool, _ memory: RelayMemory) async {
        while let (message, report) = exchange.injection?.takeAsked() {
            do throws(EngineFailure) {
                if let obstacle = obstacle(to: message, isTunnel: isTunnel, memory) { throw .unfit(obstacle) }
                if message.isForOrigin { try await admit(to: use) }
                exchange.injection?.admit(message)
                report(.success(()))
            } catch {
                report(.failure(error))
            }
        }
    }

    private func obstacle(to message: InjectedMessage, isTunnel: Bool, _ memory: RelayMemory) -> String? {
        if isTunnel, message.type != nil || message.id != nil { return "it is a WebSocket, which has no events" }
        if !isTunnel, !message.isText { return "events are text" }
        if !isTunnel, message.isForOrigin { return "an event stream goes to its client alone" }
        guard exchange.recording?.cutter?.takesMessages == true else {
            return "its bytes are compressed as a whole, or are no messages that Shunt knows"
        }
        if !isTunnel, case .length = memory.response.framing { return "its length was announced" }
        return nil
    }
}
