import Profiles

/// The conversation of a mock, made ready to be held with clients.
final class PreparedConversation: Sendable {
    enum Content: Sendable {
        case bytes([UInt8])
        case template(MockTemplate)
        case file(MockFileReading<MockFileBody>)

        fileprivate init(_ body: MockBody) {
            switch body {
            case .bytes(let bytes): self = .bytes(bytes)
            case .template(let template): self = .template(template)
            case .file(let file): self = .file(MockFileReading(file))
            // No message is a stream, nor the response to a call.
            case .events, .webSocket, .collection, .call, .schema: self = .bytes([])
            }
        }
    }

    enum Action: Sendable {
        case send(isText: Bool, Content)
        case ping([UInt8])
        case close(code: UInt16, reason: String)
        case receive(MessageCondition)
    }

    struct Step: Sendable {
        let delay: MockDelay?
        let action: Action?

        fileprivate init(_ step: MockConversation.Step) {
            delay = step.delay
            action =
                switch step.action {
                case .send(let isText, let body): .send(isText: isText, Content(body))
                case .ping(let bytes): .ping(bytes)
                case .close(let code, let reason): .close(code: code, reason: reason)
                case .receive(let condition): .receive(condition)
                case nil: nil
                }
        }
    }

    let protocols: [String]?
    let script: [Step]
    let replies: [(condition: MessageCondition, steps: [Step])]
    let end: ScriptEnd

    init(_ conversation: MockConversation) {
        (protocols, end) = (conversation.protocols, conversation.end)
        script = conversation.script.map { Step($0) }
        replies = conversation.replies.map { ($0.condition, $0.steps.map { Step($0) }) }
    }
}
