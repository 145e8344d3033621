import Bytes
import Exchanges
import Inspection
import Store

/// What is known of an exchange apart from heads and bodies, a line per fact.
struct ExchangeFacts {
    private let summary: TrafficSummary

    init(_ summary: TrafficSummary) { self.summary = summary }

    var text: String {
        let exchange = summary.exchange
        let status = exchange.status.map { " \($0)" } ?? (summary.isEnded ? " without a response" : "")
        let head = "#\(summary.id)  \(exchange.method) \(exchange.url)\(status)" + (summary.isEnded ? "" : " (running)")
        let rows = facts.map { name, text in
            "  " + name + String(repeating: " ", count: max(1, 11 - name.count)) + PlainText.clean(text) + "\n"
        }
        return PlainText.clean(head) + "\n" + rows.joined()
    }

    private var facts: [(name: String, text: String)] {
        let exchange = summary.exchange
        var facts = [
            ("started", LogQuantity.timestamp(exchange.startedAt)),
            ("client", Self.list(exchange.client.address, exchange.client.version, exchange.client.tls)),
        ]
        if let profile = exchange.profile {
            let reason = exchange.reason.map { ", by \($0)" } ?? ""
            facts.append(("profile", profile + reason + (exchange.isUnlocked ? ", UNLOCKED" : "")))
        }
        if let node = summary.node { facts.append(("node", node)) }
        if let route = exchange.route { facts.append(("route", route)) }
        for attempt in exchange.attempts { facts.append(("tried", "\(attempt.origin): \(attempt.outcome)")) }
        if let responder = exchange.responder { facts.append(("response", "by \(responder)")) }
        if let origin = exchange.origin { facts += Self.facts(origin) }
        if exchange.retries > 0 { facts.append(("retries", "\(exchange.retries), on stale connections")) }
        if !exchange.rewritten.isEmpty { facts.append(("rewritten", exchange.rewritten.joined(separator: ", "))) }
        for hold in exchange.holds {
            facts.append(("held", "\(hold.phase), \(LogQuantity.duration(hold.microseconds)): \(hold.outcome)"))
        }
        if let failure = exchange.failure {
            facts.append(("failed", "\(failure.side)/\(failure.stage): \(failure.message)"))
            for fix in failure.fixes { facts.append(("fix", fix)) }
        }
        let sent = LogQuantity.size(exchange.bytes.request)
        facts.append(
            ("content", "\(sent) in the request, \(LogQuantity.size(exchange.bytes.response)) in the response"))
        if summary.isEnded { facts.append(("time", Self.times(exchange.timings))) }
        return facts
    }

    private static func facts(_ origin: Exchange.OriginFacts) -> [(String, String)] {
        let tls = origin.tls.map { $0 + (origin.isResumed ? " resumed" : "") }
        let address = origin.address.map { "at \($0)" }
        var facts = [
            ("origin", list(origin.url, address, origin.version, tls, origin.isReused ? "reused connection" : nil))
        ]
        if let trust = origin.trust {
            facts.append(("trust", trust + (origin.trustDecision.map { ": \($0)" } ?? "")))
        }
        return facts
    }

    private static func times(_ timings: Exchange.Timings) -> String {
        let phases: [(String, UInt64?)] = [
            ("blocked", timings.blocked), ("dns", timings.dns), ("connect", timings.connect), ("tls", timings.tls),
            ("send", timings.send), ("wait", timings.wait), ("receive", timings.receive),
        ]
        let parts = phases.compactMap { name, time in time.map { "\(name) \(LogQuantity.duration($0))" } }
        return LogQuantity.duration(timings.total) + (parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))")
    }

    private static func list(_ parts: String?...) -> String {
        parts.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ", ")
    }
}
