import Bytes
import Exchanges
import HTTP
import Platform
import Reactor
import Store

/// Messages on their way into one stream.
///
/// Confined to its worker.
final class InjectedMessages {
    typealias Report = (Result<Void, EngineFailure>) -> Void

    /// Messages that may wait for the end of one that is under way.
    private static let maxWaiting = 16

    private var asked: [(message: InjectedMessage, report: Report)] = []
    /// Messages that nothing refuses, in their order.
    private(set) var admitted: [InjectedMessage] = []

    func add(_ message: InjectedMessage, _ report: @escaping Report) {
        guard asked.count + admitted.count < Self.maxWaiting else {
            return report(
                .failure(
                    EngineFailure(
                        .client, .route, status: 429,
                        "\(Self.maxWaiting) messages wait for the end of a message that is under way")))
        }
        asked.append((message, report))
    }

    var isAsked: Bool { !asked.isEmpty }

    func takeAsked() -> (message: InjectedMessage, report: Report)? { asked.isEmpty ? nil : asked.removeFirst() }

    func admit(_ message: InjectedMessage) { admitted.append(message) }

    func removeFirst() { admitted.removeFirst() }

    /// The next message for the client of a WebSocket that Shunt itself plays; others are refused.
    func takeLocal() -> InjectedMessage? {
        while let (message, report) = takeAsked() {
            if message.type != nil || message.id != nil {
                report(.failure(.unfit("it is a WebSocket, which has no events")))
            } else if message.isForOrigin {
                report(.failure(.unfit("Shunt itself responds, and no origin")))
            } else {
                report(.success(()))
                return message
            }
        }
        return nil
    }
}

extension OriginRelay {
    /// Sends the next message that was put in, where the one before it is complete; false where that cannot be done.
    mutating func putIn() -> Bool {
        guard hasResponse, let message = exchange.injection?.admitted.first else { return false }
        if let gate = exchange.gates?.gate(forOrigin: message.isForOrigin) {
            guard gate.isBetweenMessages else { return false }
            exchange.injection?.removeFirst()
            gate.put(isTunnel ? message.frame : message.event)
            message.record(in: exchange.recording, isEvent: !isTunnel)
            return true
        }
        guard let recording = exchange.recording,
            recording.cutter?.isBetweenMessages(message.isForOrigin ? .request : .response) == true
        else { return false }
        exchange.injection?.removeFirst()
        let channel = message.isForOrigin ? originChannel : clientChannel
        var bytes = isTunnel ? message.frame : message.event
        if !isTunnel, case .chunked = memory.responsePump.encoding {
            bytes = Array(PacedPiece(wait: 0, bytes: bytes[...]).asChunk.bytes)
        }
        channel.reserveOutput()
        channel.output.grow(by: bytes.count)
        bytes.withUnsafeBytes { _ = channel.output.append($0) }
        // What is wrong with the channel shows with its next bytes.
        _ = try? channel.flush()
        message.record(in: recording, isEvent: !isTunnel)
        return true
    }
}

extension InjectedMessage {
    /// Records that it was put in.
    func record(in recording: Recording?, isEvent: Bool) {
        guard let recording else { return }
        var facts = MessageFacts(
            time: wallClock(), sender: isForOrigin ? .client : .origin,
            kind: isEvent ? .event : isText ? .text : .binary, length: Int64(bytes.count))
        facts.isInjected = true
        guard isEvent else { return bytes.withUnsafeBytes { recording.record(.message(facts, $0)) } }
        let event = ServerSentEvent(type: Array((type ?? "").utf8), id: Array((id ?? "").utf8), data: bytes)
        recording.record(.event(facts, event))
    }
}

extension EngineFailure {
    static func unfit(_ reason: String) -> EngineFailure {
        EngineFailure(.client, .route, status: 409, "the message cannot be put in: \(reason)")
    }
}
