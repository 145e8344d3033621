public import JSON
import Protobuf

/// What a mock responds: one response, or several of which each request gets one.
public struct Mock: Sendable {
    /// At least one, in the order of the file.
    public let responses: [MockResponse]
    public let order: MockOrder
    /// What chance begins with; nil for another beginning each time Shunt starts.
    public let seed: UInt64?
    /// What is sent after a response; nil for nothing.
    public var then: Webhook?
}

/// One response of a mock.
public struct MockResponse: Sendable {
    public let status: Int
    /// In the order of the file; `content-type` is there whenever there is a body, framing fields never are.
    public let headers: [(name: String, value: String)]
    /// Fields whose values are filled from the request; they follow the others.
    public let filledHeaders: [(name: String, value: MockTemplate)]
    public let body: MockBody
    /// How long it waits before it is sent; nil not at all.
    public let delay: MockDelay?
}

public enum MockBody: Sendable {
    case bytes([UInt8])
    case template(MockTemplate)
    case file(MockFile)
    /// A schema of GraphQL, by whose types calls are responded to, with a seed.
    case schema(MockFile, seed: UInt64)
    case events(MockEvents)
    case webSocket(MockConversation)
    case collection(MockCollection)
    case call(MockCall)
}

/// Which of several responses a request gets.
public enum MockOrder: Hashable, Sendable {
    /// One after the other, and then the last one again and again.
    case once
    /// One after the other, and then from the first one again.
    case loop
    /// By chance: each response has a weight.
    case weighted([Double])
}

/// Nanoseconds, any of them as likely as the others.
public struct MockDelay: Hashable, Sendable {
    public let min: UInt64
    public let max: UInt64
}

extension Mock: LocalSettings {
    public static var key: String { "mock" }

    public var summary: String {
        let parts = responses.map { "\($0.status), \($0.body.summary)" + ($0.delay.map { " after \($0.text)" } ?? "") }
        return "mock: " + text(of: parts) + (then.map { "; then \($0.method) \($0.url)" } ?? "")
    }

    private func text(of parts: [String]) -> String {
        guard parts.count > 1 else { return parts.joined() }
        switch order {
        case .once: return parts.joined(separator: "; ") + ", which stays"
        case .loop: return parts.joined(separator: "; ") + "; then from the first again"
        case .weighted(let weights):
            return "by chance " + zip(parts, weights).map { "\($0) (\($1))" }.joined(separator: "; ")
        }
    }

    public func writeMembers(to writer: inout JSONWriter) {
        writer.object("mock") {
            if let then { $0.member("then", then.url) }
            guard responses.count > 1 else { return responses[0].writeMembers(to: &$0) }
            $0.array("responses") { for response in responses { $0.object(response.writeMembers) } }
            switch order {
            case .once: break
            case .loop: $0.member("loop", true)
            case .weighted(let weights): $0.array("weights") { for weight in weights { $0.value(weight) } }
            }
        }
    }
}

extension MockResponse {
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.member("status", status)
        switch body {
        case .bytes(let bytes): writer.member("bytes", bytes.count)
        case .template: writer.member("template", true)
        case .file(let file): writer.member("file", file.path)
        case .schema(let file, _): writer.member("graphql", file.path)
        case .events(let events): writer.member("events", events.script.count)
        case .webSocket(let conversation): writer.member("webSocket", conversation.script.count)
        case .collection(let collection): writer.member("collection", collection.name)
        case .call(let call): writer.member("grpc", call.messages.count)
        }
        // In milliseconds.
        if let delay {
            writer.array("delay") { for time in [delay.min, delay.max] { $0.value(Int(time / 1_000_000)) } }
        }
    }
}

extension ScriptEnd {
    fileprivate var text: String {
        switch self {
        case .close: "then closed"
        case .open: "then left open"
        case .loop: "then from the first again"
        }
    }
}

extension MockBody {
    /// It responds to requests for a WebSocket, and to no others.
    package var isWebSocket: Bool { if case .webSocket = self { true } else { false } }

    /// Its responses follow from earlier requests.
    package var isCollection: Bool { if case .collection = self { true } else { false } }

    /// It responds to gRPC calls, and to no other requests.
    package var isCall: Bool { if case .call = self { true } else { false } }

    fileprivate var summary: String {
        switch self {
        case .bytes(let bytes): "\(bytes.count) bytes"
        case .template: "a template"
        case .file(let file): "the file \(file.name)"
        case .schema(let file, _): "values by the schema \(file.name)"
        case .events(let events): "\(events.script.count) steps of an event stream, \(events.end.text)"
        case .webSocket(let conversation):
            "\(conversation.script.count) steps and \(conversation.replies.count) replies, \(conversation.end.text)"
        case .collection(let collection): "the collection \(collection.name)"
        case .call(let call):
            "\(call.messages.count) message\(call.messages.count == 1 ? "" : "s") of \(call.method.name), "
                + (GRPC.name(of: call.status))
        }
    }
}

extension MockDelay {
    fileprivate var text: String {
        min == max ? Quantity.durationText(min) : "\(Quantity.durationText(min)) to \(Quantity.durationText(max))"
    }
}
