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
        if arguments.has("clear"), arguments.has("follow") || lines != nil {
            throw UsageError("--clear lists nothing", advice: "Give it alone.")
        }
        let client = AdminClient(try RunningShunt.find(arguments))
        if arguments.has("clear") {
            let count = try client.forgetPushes()["forgotten"]?.number?.int64 ?? 0
            Terminal.out(count == 1 ? "1 notification is forgotten.\n" : "\(count) notifications are forgotten.\n")
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
        if let lines {
            let count = try client.pushes(after: 0, limit: 1)["count"]?.number?.int64 ?? 0
            last = max(0, Int(count) - lines)
        }
        while !stream.isClosed {
            let response = try client.pushes(after: last, limit: page)
            let pushes = response["pushes"]?.array ?? []
            for push in pushes { stream.write(line: isJSON ? json(push) : text(push)) }
            last = (response["last"]?.number?.int64).map { Int($0) } ?? last
            stream.flush()
            if pushes.count == page { continue }
            guard follows else { return }
            stream.pause(interval)
        }
    }

    private static func json(_ push: JSONValue) -> String {
        var writer = JSONWriter()
        writer.value(push)
        return writer.text
    }

    private static func text(_ push: JSONValue) -> String {
        let time = TextLine.time(push["time"]?.number?.int64 ?? 0)
        let type = push["type"]?.string ?? "-"
        let priority = push["priority"]?.number?.text ?? "-"
        let target = push["token"]?.string.map(DeviceTokenText.short) ?? "channel \(push["channel"]?.string ?? "-")"
        let topic = push["topic"]?.string ?? push["bundle"]?.string ?? "-"
        return PlainText.clean("\(time) \(type) \(priority) \(topic) \(target) \(alert(push["payload"]))")
    }

    /// What a user would see of it; else the payload.
    private static func alert(_ payload: JSONValue?) -> String {
        let alert = payload?["aps"]?["alert"]
        let words = [alert?.string, alert?["title"]?.string, alert?["body"]?.string].compactMap { $0 }
        if !words.isEmpty { return "\"" + words.joined(separator: ": ") + "\"" }
        let text = payload.map(json) ?? ""
        return text.count > 80 ? text.prefix(79) + "…" : text
    }
}

/// A device token as people see it: enough to tell it from others, too little to send to it.
enum DeviceTokenText {
    static func short(_ token: String) -> String {
        token.count > 16 ? "\(token.prefix(8))…\(token.suffix(4))" : token
    }
}
