/// What follows behind the last step of a script.
public enum ScriptEnd: String, Sendable, CaseIterable {
    case close, open, loop
}

/// Server-sent events as the body of a mock (WHATWG HTML 9.2).
public struct MockEvents: Sendable {
    public let script: [Event]
    public let end: ScriptEnd

    /// An event, a comment, or a pause alone.
    public struct Event: Sendable {
        public let delay: MockDelay?
        public let type: MockTemplate?
        public let id: MockTemplate?
        /// Milliseconds after which a client connects again.
        public let retry: Int?
        public let data: MockTemplate?
        public let comment: MockTemplate?
    }

    /// Where a client goes on that has read the event with this ID (`Last-Event-ID`): behind the first such event, and
    /// at the beginning where there is none.
    public func start(behind id: String) -> Int {
        let known = script.firstIndex { $0.id?.text == id }
        return known.map { $0 + 1 } ?? 0
    }

    public var needsBody: Bool {
        script.contains { event in
            [event.type, event.id, event.data, event.comment].contains { $0?.needsBody == true }
        }
    }
}

extension MockTemplate {
    /// The text of a template without places; nil where there are some.
    fileprivate var text: String? {
        var bytes: [UInt8] = []
        for part in parts {
            guard case .text(let text) = part else { return nil }
            bytes += text
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
