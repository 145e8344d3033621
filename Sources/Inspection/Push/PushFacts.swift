import Bytes
import Exchanges
import Filter
import JSON
import Push
package import Store

/// A push notification as an exchange shows it: to APNs, to FCM (HTTP v1) or by WebPush (RFC 8030).
package struct PushFacts {
    /// In one line.
    package let text: String
    /// What should be mended, a sentence each.
    package let warnings: [String]

    /// nil where the exchange is no push notification.
    package init?(_ record: TrafficRecord, _ reader: TrafficReader) throws(StoreFailure) {
        let exchange = record.summary.exchange
        guard exchange.method == "POST", let request = record.clientRequest.map({ PushHead($0) }) else { return nil }
        var found: [PushWarning] = []
        var parts: [String]
        if let target = try? PushTarget(path: request.path) {
            let fields = request.pushFields
            parts = ["APNs", fields.pushType ?? "no type", "priority \(fields.priority ?? "10")"]
            if case .broadcast(let bundle) = target { parts.append("broadcast of \(bundle)") }
            parts += fields.topic.map { ["topic \($0)"] } ?? []
            parts += fields.id.map { ["id \($0)"] } ?? []
            found = PushWarning.found(in: fields, bytes: Int(clamping: exchange.bytes.request))
        } else if request.path.hasPrefix("/v1/projects/"), request.path.hasSuffix("/messages:send") {
            parts = ["FCM HTTP v1", "project \(request.path.split(separator: "/")[2])"]
        } else if let coding = request["content-encoding"], ["aes128gcm", "aesgcm"].contains(coding),
            let time = request["ttl"]
        {
            let isVAPID = request["authorization"]?.lowercased().hasPrefix("vapid") == true
            parts = ["WebPush", isVAPID ? "VAPID" : "no VAPID", coding, "TTL \(time)"]
            parts += request["urgency"].map { ["urgency \($0)"] } ?? []
        } else {
            return nil
        }
        if let reason = try Self.reason(record, reader) { parts.append(reason) }
        text = parts.joined(separator: ", ")
        warnings = PushWarning.allCases.filter { found.contains($0) || exchange.rewritten.contains($0.mark) }
            .map(\.sentence)
    }

    private static func reason(_ record: TrafficRecord, _ reader: TrafficReader) throws(StoreFailure) -> String? {
        guard record.responseBody.kept > 0, record.responseBody.kept <= 4096 else { return nil }
        var bytes: [UInt8] = []
        try reader.body(of: record, .response) { piece in
            bytes += piece
            return true
        }
        return (try? JSONReader.read(bytes, dialect: .strict)).flatMap { FilterPush.reason($0) }
    }
}

/// The target and the fields of a recorded head.
private struct PushHead {
    let path: String
    private let fields: [(name: String, value: String)]

    init(_ head: [UInt8]) {
        let lines = String(decoding: head, as: UTF8.self).split(whereSeparator: \.isNewline)
        let words = lines.first?.split(separator: " ") ?? []
        path = words.count > 1 ? String(words[1].prefix { $0 != "?" }) : ""
        fields = lines.dropFirst().compactMap { line in
            line.firstIndex(of: ":").map {
                (line[..<$0].lowercased(), String(line[line.index(after: $0)...].drop { $0 == " " }))
            }
        }
    }

    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    var pushFields: PushFields {
        var read = PushFields()
        for (name, value) in fields { read.take(name, value) }
        return read
    }
}
