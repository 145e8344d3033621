import Exchanges
import Filter
import HTTP
import Platform
import Profiles
import Reactor
import Rewriting
import Store

/// The gates of a stream whose messages are edited by its route, or may be held at breakpoints.
///
/// Confined to its worker.
final class MessageGates {
    /// nil for events.
    let request: MessageGate?
    let response: MessageGate
    fileprivate let edits: MessageEdits?
    /// nil where no breakpoints can be set.
    fileprivate let subject: HoldSubject?
    fileprivate let alarm: Alarm
    /// What each gate holds: its first message.
    fileprivate var held: [ObjectIdentifier: HeldExchange] = [:]

    fileprivate init(
        _ request: MessageGate?, _ response: MessageGate, _ edits: MessageEdits?, _ subject: HoldSubject?,
        _ exchange: ClientExchange
    ) {
        (self.request, self.response, self.edits, self.subject) = (request, response, edits, subject)
        alarm = Alarm(exchange.client.waiter, exchange.state)
    }

    fileprivate var all: [MessageGate] { [request, response].compactMap(\.self) }

    func gate(forOrigin isForOrigin: Bool) -> MessageGate? { isForOrigin ? request : response }

    var isHolding: Bool { !held.isEmpty }

    /// Messages wait that nothing holds any more.
    fileprivate func hasWork(_ exchange: ClientExchange) -> Bool {
        all.contains { gate in
            guard gate.isWaiting else { return false }
            guard let held = held[ObjectIdentifier(gate)] else { return true }
            return exchange.messageDecision(on: held) != nil
        }
    }

    /// What became of messages, for the log.
    func note(_ changes: inout RewriteChanges) {
        if all.contains(where: { $0.hasLong && edits?.concern($0.sender) == true }) { changes.insert(.longMessage) }
    }

    fileprivate func setAlarm(_ exchange: ClientExchange) {
        if let end = held.values.map({ exchange.end(of: $0) }).min() { alarm.set(to: end) }
    }
}

extension ClientExchange {
    /// Whether a stream that begins goes through gates.
    var wantsGates: Bool { way.edits?.plan.messages != nil || state.breakpoints?.watchMessages == true }

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

    fileprivate func openGates(_ reader: (MessageFacts.Sender) -> WebSocketReader) {
        openGates(
            MessageGate(reader(.client), from: .client, state.held, recording),
            MessageGate(reader(.origin), from: .origin, state.held, recording))
    }

    fileprivate func openGate(_ reader: EventStreamReader) {
        openGates(nil, MessageGate(reader, state.held, recording))
    }

    private func openGates(_ request: MessageGate?, _ response: MessageGate) {
        var subject: HoldSubject?
        if state.breakpoints != nil {
            let device = Routing(client: client, request: self.request).device?.0.name
            subject = HoldSubject(
                self, profile: metrics.profile, session: self.request.session?.session.id, device: device,
                now: wallClock())
        }
        gates = MessageGates(request, response, way.edits?.plan.messages, subject, self)
    }

    /// The stream is over.
    func closeGates() {
        guard let gates else { return }
        for held in gates.held.values { end(held, nil) }
        gates.alarm.end()
        self.gates = nil
    }

    /// Messages wait for ``tendMessages(to:isTunnel:_:)``.
    var hasMessages: Bool { injection?.isAsked == true || gates?.hasWork(self) == true }

    /// Sends or holds the messages in the queue: injected messages first, then the stream's own messages.
    @inline(never)
    func tendMessages(to use: OriginUse, isTunnel: Bool, _ memory: RelayMemory) async throws(EngineFailure) {
        await admitInjected(to: use, isTunnel: isTunnel, memory)
        for gate in gates?.all ?? [] {
            while gate.isWaiting, let gates, try await tend(gate, gates, use) {}
        }
        gates?.setAlarm(self)
    }

    /// Sees to the first message that waits; false where it is held.
    private func tend(
        _ gate: MessageGate, _ gates: MessageGates, _ use: OriginUse
    ) async throws(EngineFailure) -> Bool {
        let item = gate.waiting[0]
        if let held = gates.held[ObjectIdentifier(gate)] {
            guard let decision = messageDecision(on: held) else { return false }
            return await apply(decision, to: held, gate, gates, use)
        }
        guard item.isWhole, let facts = item.facts else {
            gate.pass()
            return true
        }
        if item.isText, let edits = gates.edits, edits.concern(facts.sender) {
            if let content = try await edited(item.content, by: edits, from: facts.sender) {
                gate.edit(content, isText: true)
                metrics.changes.insert(facts.sender == .client ? .clientMessages : .originMessages)
            }
        }
        let content = gate.waiting[0].edited?.content ?? item.content
        guard state.breakpoints?.watchMessages == true,
            let subject = gates.subject?.with(metrics).with(message: content, from: facts.sender),
            let breakpoint = breakpoint(at: .message, subject),
            let held = hold(
                breakpoint, subject, HeldMessage(facts, content, of: request.head.method, item.memory))
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
        let memory = edits.needsJSON(sender) ? try state.held.memory(ofTreeOf: content) : nil
        return try await body.perform(size: edits.steps(over: content.count, sender)) {
            withExtendedLifetime(memory) { edits.edited(content, from: sender) }
        }
    }

    /// What becomes of a held message, if it is decided; a WebSocket whose client has closed it is over.
    fileprivate func messageDecision(on held: HeldExchange) -> HoldDecision? {
        held.decision ?? expiry(of: held) ?? (isWebSocket && client.channel.hasEnded ? .goOn(.ended) : nil)
    }

    /// False where the message stays held, since the guard refuses what was decided.
    private func apply(
        _ decision: HoldDecision, to held: HeldExchange, _ gate: MessageGate, _ gates: MessageGates, _ use: OriginUse
    ) async -> Bool {
        let isFromClient = gate.sender == .client
        if decision.changesMessage(forOrigin: isFromClient) {
            do throws(EngineFailure) { try await admitMessage(to: use) } catch {
                held.refuse(HoldFailure(.forbidden, error.message, advice: error.advice ?? "Edit it, or drop it."))
                return false
            }
        }
        gates.held[ObjectIdentifier(gate)] = nil
        end(held, decision)
        switch decision {
        case .goOn, .respond: gate.pass()
        case .drop: gate.drop()
        case .edited(let message):
            if let content = message.content { gate.edit(content, isText: !message.isBinary) }
            gate.pass()
        case .reply(let message):
            gate.drop()
            let injection = injection ?? InjectedMessages()
            self.injection = injection
            injection.admit(message)
        }
        if decision.isChange { metrics.changes.insert(.heldMessages) }
        return true
    }

    /// Judges a message of a person's for an origin: it is a write.
    func admitMessage(to use: OriginUse) async throws(EngineFailure) {
        let deadline = client.waiter.deadline
        defer { client.waiter.deadline = deadline }
        try await Admission.admit(self, to: use.guardian)
    }
}

extension OriginRelay {
    /// Lets a stream that runs go through gates once there are breakpoints for messages, where it can be told where its
    /// messages begin.
    @inline(never)
    func watchMessages() {
        guard let recording = exchange.recording, recording.takesMessages, recording.isBetweenMessages(.response),
            !memory.responsePump.isRewritten
        else { return }
        if !isTunnel, let reader = recording.eventReader {
            if case .length = memory.response.framing { return }
            exchange.openGate(reader)
        } else if let client = recording.reader(of: .client), let origin = recording.reader(of: .origin) {
            guard recording.isBetweenMessages(.request) else { return }
            exchange.openGates { $0 == .client ? client : origin }
        }
        guard let gates = exchange.gates else { return }
        recording.openGates(isRunning: true)
        memory.responsePump.pass(through: BodyRewriter(gates.response))
        if let request = gates.request { memory.requestPump.pass(through: BodyRewriter(request)) }
    }
}
