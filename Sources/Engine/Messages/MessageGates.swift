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
    let edits: MessageEdits?
    /// nil where no breakpoints can be set.
    let subject: HoldSubject?
    let alarm: Alarm
    /// What each gate holds: its first message.
    var held: [ObjectIdentifier: HeldExchange] = [:]

    init(
        _ request: MessageGate?, _ response: MessageGate, _ edits: MessageEdits?, _ subject: HoldSubject?,
        _ exchange: ClientExchange
    ) {
        (self.request, self.response, self.edits, self.subject) = (request, response, edits, subject)
        alarm = Alarm(exchange.client.waiter, exchange.state.loop)
    }

    var all: [MessageGate] { [request, response].compactMap(\.self) }

    func gate(forOrigin isForOrigin: Bool) -> MessageGate? { isForOrigin ? request : response }

    var isHolding: Bool { !held.isEmpty }

    /// Messages wait that nothing holds any more.
    func hasWork(_ exchange: ClientExchange) -> Bool {
        all.contains { gate in
            guard gate.isWaiting else { return false }
            guard let held = held[ObjectIdentifier(gate)] else { return true }
            return exchange.messages.decision(on: held) != nil
        }
    }

    /// What became of messages, for the log.
    func note(_ changes: inout RewriteChanges) {
        if all.contains(where: { $0.hasLong && edits?.concern($0.sender) == true }) { changes.insert(.longMessage) }
    }

    func setAlarm(_ exchange: ClientExchange) {
        if let end = held.values.map({ HoldPoints(exchange: exchange).end(of: $0) }).min() { alarm.set(to: end) }
    }
}

extension OriginRelay {
    /// Lets a stream that runs go through gates once there are breakpoints for messages, where it can be told where its
    /// messages begin.
    @inline(never)
    func watchMessages() {
        guard let recording = exchange.recording, let cutter = recording.cutter, cutter.takesMessages,
            cutter.isBetweenMessages(.response),
            !memory.responsePump.isRewritten
        else { return }
        if !isTunnel, let reader = cutter.eventReader {
            if case .length = memory.response.framing { return }
            exchange.messages.openGate(reader)
        } else if let client = cutter.reader(of: .client), let origin = cutter.reader(of: .origin) {
            guard cutter.isBetweenMessages(.request) else { return }
            exchange.messages.openGates { $0 == .client ? client : origin }
        }
        guard let gates = exchange.gates else { return }
        recording.openGates(isRunning: true)
        memory.responsePump.pass(through: BodyRewriter(gates.response))
        if let request = gates.request { memory.requestPump.pass(through: BodyRewriter(request)) }
    }
}
