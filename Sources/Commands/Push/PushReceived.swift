import Admin
import Bytes
import Exchanges
import JSON
import Platform

/// What `shunt push received` does.
enum PushReceived {
    /// Notifications of one response.
    private static let page = 500
    /// Milliseconds.
    private static let interval: CInt = 200

    static func run(_ arguments: Arguments) throws -> CInt {
        let lines = try arguments.count("lines", in: 0...Int.max)
        let client = AdminClient(try RunningShunt.find(arguments))
        if arguments.has("clear") {
            let count = try client.ask(API.forgetPushes).forgotten
            Terminal.out("\(Words.count(count, "notification")) \(count == 1 ? "is" : "are") forgotten.\n")
            return 0
        }
        try list(from: client, lines: lines, follows: arguments.has("follow"), isJSON: arguments.has("json"))
        return 0
    }

    private static func list(
        from client: AdminClient, lines: Int?, follows: Bool, isJSON: Bool
    ) throws(AdminClientFailure) {
        let stream = ResultStream()
        var last = 0
        if let lines { last = max(0, try client.ask(API.pushes) { $0.limit = 1 }.count - lines) }
        while !stream.isClosed {
            let reply = try client.ask(API.pushes) { ($0.after, $0.limit) = (last, page) }
            for push in reply.pushes { stream.write(line: isJSON ? json(push) : text(push)) }
            last = reply.last
            stream.flush()
            if reply.pushes.count == page { continue }
            guard follows else { return }
            stream.pause(interval)
        }
    }

    private static func json(_ value: some MemberValue) -> String {
        var writer = JSONWriter()
        value.write(to: &writer)
        return writer.text
    }

    private static func text(_ push: Record<API.Push>) -> String {
        let target = push.token.map(DeviceTokenText.short) ?? "channel \(push.channel ?? "-")"
        return PlainText.clean(
            "\(TextLine.time(Int64(push.time))) \(push.type ?? "-") \(push.priority) "
                + "\(push.topic ?? push.bundle ?? "-") \(target) \(alert(push.payload))")
    }

    /// What a user would see of it; else the payload.
    private static func alert(_ payload: JSONValue) -> String {
        let alert = payload["aps"]?["alert"]
        let words = [alert?.string, alert?["title"]?.string, alert?["body"]?.string].compactMap { $0 }
        if !words.isEmpty { return "\"" + words.joined(separator: ": ") + "\"" }
        let text = json(payload)
        return text.count > 80 ? text.prefix(79) + "…" : text
    }
}

/// A device token as people see it: enough to tell it from others, too little to send to it.
enum DeviceTokenText {
    static func short(_ token: String) -> String { token.count > 16 ? "\(token.prefix(8))…\(token.suffix(4))" : token }
}
