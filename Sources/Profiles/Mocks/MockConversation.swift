package import JSON

/// The server's end of a WebSocket, played by a mock.
public struct MockConversation: Sendable {
    /// Subprotocols that it speaks; nil for any, of which the client's first one is chosen.
    public let protocols: [String]?
    public let script: [Step]
    /// Responses to messages that the script does not wait for; the first that fits responds.
    public let replies: [Reply]
    public let end: ScriptEnd

    public struct Step: Sendable {
        public let delay: MockDelay?
        /// nil for a pause alone.
        public let action: Action?
    }

    public enum Action: Sendable {
        case send(isText: Bool, MockBody)
        case ping([UInt8])
        case close(code: UInt16, reason: String)
        /// Waits for a message of the client.
        case receive(MessageCondition)
    }

    public struct Reply: Sendable {
        public let condition: MessageCondition
        public let steps: [Step]
    }
}

/// What a step or a reply asks of a message.
public struct MessageCondition: Hashable, Sendable {
    public static let any = MessageCondition(text: nil, parts: [])

    /// Of a text message.
    let text: RequestCondition.Test?
    /// Of a message that is JSON.
    let parts: [RequestCondition]

    /// A message is read as JSON only where it has to be.
    public var needsJSON: Bool { !parts.isEmpty }

    /// About how many steps it takes to compare it with a message of that many bytes.
    package func steps(over length: Int) -> Int {
        let own = text.map { RequestCondition(subject: .body, test: $0).steps(over: length) } ?? 0
        return parts.reduce(own) { $0 + $1.steps(over: length) }
    }

    /// - Parameters:
    ///   - text: nil for a binary message.
    ///   - json: nil for a message that is no JSON.
    package func isMet(text: String?, json: JSONValue?) -> Bool {
        if let test = self.text, !(text.map(test.isMet) ?? false) { return false }
        return parts.allSatisfy { $0.isMet(by: Facts(json: json)) }
    }

    private struct Facts: RequestFacts {
        let json: JSONValue?

        func query(_ name: String) -> [String] { [] }
        func fields(_ name: String) -> [String] { [] }
        func cookies(_ name: String) -> [String] { [] }
        func state(of scenario: String) -> String? { nil }
    }
}
