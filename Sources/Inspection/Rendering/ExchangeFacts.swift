import Bytes
package import Exchanges
import Protobuf
import Store

/// What is known of an exchange apart from heads and bodies, a line per fact.
package struct ExchangeFacts {
    private let exchange: Exchange
    private let id: Int64
    private let isEnded: Bool
    private let node: String?

    package init(_ exchange: Exchange, id: Int64, isEnded: Bool, node: String?) {
        (self.exchange, self.id, self.isEnded, self.node) = (exchange, id, isEnded, node)
    }

    /// A line with number, method, URL and status in front of the others.
    package var text: String {
        let status = exchange.status.map { " \($0)" } ?? (isEnded ? " without a response" : "")
        let head = "#\(id)  \(exchange.method) \(exchange.url)\(status)" + (isEnded ? "" : " (running)")
        return PlainText.clean(head) + "\n" + lines.map { "  \($0)\n" }.joined()
    }

    package var lines: [String] {
        facts.map { name, text in name + String(repeating: " ", count: max(1, 11 - name.count)) + PlainText.clean(text)
        }
    }

    private var facts: [(name: String, text: String)] {
        var facts = [
            ("started", LogQuantity.timestamp(exchange.startedAt)),
            ("client", Self.list(exchange.client.address, exchange.client.version, exchange.client.tls)),
        ]
        if let profile = exchange.profile {
            let reason = exchange.reason.map { ", by \($0)" } ?? ""
            facts.append(("profile", profile + reason + (exchange.isUnlocked ? ", UNLOCKED" : "")))
        }
        if let node { facts.append(("node", node)) }
        if let route = exchange.route { facts.append(("route", route)) }
        for attempt in exchange.attempts { facts.append(("tried", "\(attempt.origin): \(attempt.outcome)")) }
        if let responder = exchange.responder { facts.append(("response", "by \(responder)")) }
        if let origin = exchange.origin { facts += Self.facts(origin) }
        if let status = exchange.grpcStatus { facts.append(("gRPC", "\(GRPC.name(of: status)) (\(status))")) }
        if exchange.retries > 0 { facts.append(("retries", "\(exchange.retries), on stale connections")) }
        if !exchange.rewritten.isEmpty { facts.append(("rewritten", exchange.rewritten.joined(separator: ", "))) }
        for hold in exchange.holds {
            facts.append(("held", "\(hold.phase), \(LogQuantity.duration(hold.microseconds)): \(hold.outcome)"))
        }
        for finding in exchange.contract { facts.append(("contract", finding)) }
        if let failure = exchange.failure {
            facts.append(("failed", "\(failure.side)/\(failure.stage): \(failure.message)"))
            for fix in failure.fixes { facts.append(("fix", fix)) }
        }
        let sent = LogQuantity.size(exchange.bytes.request)
        facts.append(
            ("content", "\(sent) in the request, \(LogQuantity.size(exchange.bytes.response)) in the response"))
        if isEnded { facts.append(("time", Self.times(exchange.timings))) }
        return facts
    }

    private static func facts(_ origin: Exchange.OriginFacts) -> [(String, String)] {
        let tls = origin.tls.map { $0 + (origin.isResumed ? " resumed" : "") }
        let address = origin.address.map { "at \($0)" }
        var facts = [
            ("origin", list(origin.url, address, origin.version, tls, origin.isReused ? "reused connection" : nil))
        ]
        if let trust = origin.trust { facts.append(("trust", trust + (origin.trustDecision.map { ": \($0)" } ?? ""))) }
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
