import Bytes
import Engine

// Messages that are put into open streams.
extension AdminHandler {
    /// Sends a message into an open WebSocket or event stream, behind the message that is under way.
    func sendMessage(_ body: Record<API.NewMessage>, _ call: AdminCall) async throws -> Record<API.MessageSent> {
        let id = try call.identity()
        let word = body.to ?? "client"
        guard word == "client" || word == "origin" else {
            throw AdminRefusal(400, "\"to\" is “\(word)”", advice: "Give client or origin.")
        }
        let (message, length) = try Self.message(body, isForOrigin: word == "origin")
        call.note.add(after: "a message of \(length) bytes to the \(word)")
        try await proxy.inject(message, into: id)
        return Record { ($0.exchange, $0.to, $0.length) = (Int(id), word, length) }
    }

    private static func message(
        _ body: Record<API.NewMessage>, isForOrigin: Bool
    ) throws -> (InjectedMessage, length: Int) {
        switch (body.text, body.base64) {
        case (let text?, nil):
            let message = InjectedMessage(text, isForOrigin: isForOrigin, type: body.event, id: body.id)
            return (message, text.utf8.count)
        case (nil, let base64?):
            guard let bytes = Base64Decoder.bytes(base64), body.event == nil, body.id == nil else {
                throw AdminRefusal(
                    400, "\"base64\" is no binary message", advice: "Send Base64, without \"event\" and \"id\".")
            }
            return (InjectedMessage(binary: bytes, isForOrigin: isForOrigin), bytes.count)
        default: throw AdminRefusal(400, "there is no message", advice: "Send \"text\" or \"base64\".")
        }
    }
}
