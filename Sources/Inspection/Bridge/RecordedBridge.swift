import JSON
import Redaction
public import Store

/// The contract of a bridge, made of recorded calls to an app's own.
public struct RecordedBridge: Sendable {
    /// Calls that are part of it.
    public private(set) var callCount = 0
    /// Secrets that were replaced in them.
    public private(set) var secretCount = 0
    private var handlers: [(object: String, name: String, calls: [Call])] = []

    /// Why an exchange is no part of it, in words.
    public struct Obstacle: Error, Sendable {
        public let reason: String
    }

    private struct Call {
        /// The first argument; nil without any.
        let message: JSONValue?
        /// The same as text, to tell calls apart.
        let text: String
        let reply: JSONValue?
        let error: String?

        var outcome: String { "\(reply.map { RecordedBridge.text($0) } ?? "-") \(error ?? "")" }
    }

    public init() {}

    /// Adds a call; of calls with the same message the first one counts.
    public mutating func add(_ reader: TrafficReader, _ record: TrafficRecord) throws(Obstacle) {
        let whole: [UInt8]?
        do throws(ExportFailure) {
            whole = try BodyWriter(reader, record, .request).whole(limit: RecordedRequest.bodyLimit)
        } catch {
            throw Obstacle(reason: "its body cannot be read: \(error)")
        }
        guard let bytes = whole, let report = try? JSONReader.read(bytes, dialect: .strict),
            let name = report["name"]?.string
        else { throw Obstacle(reason: "it is no report of a call, or was not recorded whole") }
        guard report["by"]?.string == "app" else { throw Obstacle(reason: "a contract replied, and not an app") }
        guard report["isPending"] == nil else {
            throw Obstacle(reason: "the app had not replied when the page ended, so its reply was not seen")
        }
        guard report["isCut"] == nil, let arguments = report["arguments"]?.array else {
            throw Obstacle(reason: "the call was too long to be recorded")
        }
        let message = arguments.first.map { Self.parsed($0) }
        let call = Call(
            message: message, text: message.map { Self.text($0) } ?? "", reply: report["reply"],
            error: report["error"]?.string)
        // Only a prompt has a name without a dot; its text says which one it is.
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        let (object, handler) = parts.count > 1 ? (parts[0], parts[1]) : ("", arguments.first?.string ?? "")
        let known = handlers.firstIndex { $0.object == object && $0.name == handler }
        let index = known ?? handlers.endIndex
        if known == nil { handlers.append((object, handler, [])) }
        guard !handlers[index].calls.contains(where: { $0.text == call.text }) else { return }
        handlers[index].calls.append(call)
        callCount += 1
        secretCount += Replacement.all(in: bytes).count
    }

    /// The handlers whose calls had neither a reply nor an error.
    ///
    /// Native code may have replied by a function of the page, which no call shows.
    public var withoutReply: [String] {
        handlers.filter { $0.calls.allSatisfy { $0.reply == nil && $0.error == nil } }
            .map { $0.object.isEmpty ? $0.name : "\($0.object).\($0.name)" }
    }

    /// A contract with one case for each message, or one alone if all calls of a handler gave the same.
    public var contract: [UInt8] {
        return JSONWriter.object {
            write("webkit", handlers.filter { $0.object == "webkit" }, into: &$0)
            let objects = handlers.map(\.object).filter { $0 != "webkit" && !$0.isEmpty }
            if !objects.isEmpty {
                $0.object("android") {
                    for (index, object) in objects.enumerated() where objects.firstIndex(of: object) == index {
                        write(object, handlers.filter { $0.object == object }, into: &$0)
                    }
                }
            }
            write("prompt", handlers.filter(\.object.isEmpty), into: &$0)
        }
    }

    private func write(
        _ key: String, _ handlers: [(object: String, name: String, calls: [Call])], into writer: inout JSONWriter
    ) {
        guard !handlers.isEmpty else { return }
        writer.object(key) {
            for handler in handlers {
                $0.key(handler.name)
                let isSame = Set(handler.calls.map(\.outcome)).count == 1
                if isSame, let call = handler.calls.first {
                    Self.write(call, nil, into: &$0)
                    continue
                }
                $0.array {
                    // A message that has all of another one, and more, is the longer text.
                    for call in handler.calls.sorted(by: { $0.text.utf8.count > $1.text.utf8.count }) {
                        Self.write(call, call.message, into: &$0)
                    }
                }
            }
        }
    }

    private static func write(_ call: Call, _ match: JSONValue?, into writer: inout JSONWriter) {
        writer.object {
            if let match { $0.member("match", match) }
            if let reply = call.reply { $0.member("reply", reply) }
            if let error = call.error { $0.member("error", error) }
        }
    }

    /// A text with an object or an array in JSON is what contracts compare with.
    private static func parsed(_ value: JSONValue) -> JSONValue {
        guard let text = value.string, let tree = try? JSONReader.read(text, dialect: .strict),
            tree.object != nil || tree.array != nil
        else { return value }
        return tree
    }

    private static func text(_ value: JSONValue) -> String { JSONWriter.text(of: value) }
}
