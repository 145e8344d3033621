import Exchanges
import Reactor
import Store

/// A message that is put into an open WebSocket or event stream from outside.
public struct InjectedMessage: Sendable {
    /// Bytes that one may have.
    public static let maxBytes = 1 << 20

    /// What the receiver's program gets: the message of a WebSocket, or the data of an event.
    let bytes: [UInt8]
    let isText: Bool
    /// Who gets it.
    let isForOrigin: Bool
    /// Type and ID of an event.
    let (type, id): (String?, String?)

    public init(_ text: String, isForOrigin: Bool = false, type: String? = nil, id: String? = nil) {
        (bytes, isText, self.isForOrigin) = (Array(text.utf8), true, isForOrigin)
        (self.type, self.id) = (type, id)
    }

    public init(binary bytes: [UInt8], isForOrigin: Bool = false) {
        (self.bytes, isText, self.isForOrigin) = (bytes, false, isForOrigin)
        (type, id) = (nil, nil)
    }

    /// As it stands in a WebSocket: uncompressed, which permessage-deflate allows at any time (RFC 7692 6).
    var frame: [UInt8] {
        WebSocketFrame.bytes(isText ? .text : .binary, bytes, key: isForOrigin ? .random(in: .min ... .max) : nil)
    }

    /// As it stands in an event stream.
    var event: [UInt8] {
        let fields = [("event", type), ("id", id)].compactMap { name, value in value.map { (name, Array($0.utf8)) } }
        return fields.flatMap { ServerSentEvent.field($0, $1) } + ServerSentEvent.field("data", bytes, hasLines: true)
            + [0x0A]
    }
}

extension Proxy {
    /// Puts a message into an open stream, behind the message that is under way.
    ///
    /// - Parameter id: its number in the store; asked of the store by a thread that may block.
    public func inject(_ message: InjectedMessage, into id: Int64) async throws(EngineFailure) {
        guard message.bytes.count <= InjectedMessage.maxBytes else {
            throw EngineFailure(
                .client, .route, status: 413, "the message has more than \(InjectedMessage.maxBytes >> 20) MiB")
        }
        guard let piece = await piece(of: id) else { throw .notOpen(id) }
        for worker in workers { if try await worker.inject(message, into: piece) { return } }
        throw .notOpen(id)
    }

    private func piece(of id: Int64) async -> UInt64? {
        guard let store else { return nil }
        return await withCheckedContinuation { continuation in
            let isStarted = shared.threads.start { continuation.resume(returning: store.piece(of: id, within: 10_000)) }
            if !isStarted { continuation.resume(returning: nil) }
        }
    }
}

extension EngineFailure {
    fileprivate static func notOpen(_ id: Int64) -> EngineFailure {
        EngineFailure(
            .client, .route, status: 409, "exchange \(id) is no WebSocket or event stream that is open",
            advice: "`shunt logs` lists those that are open as running.")
    }
}
