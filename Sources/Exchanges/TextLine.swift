import Bytes
import Platform

/// One exchange in one line for people: `12:01:02.123 GET https://host/path 200 12ms ↑0B ↓3.4kB [staging] trust=default`.
package struct TextLine {
    let color: Bool

    package init(color: Bool) { self.color = color }

    package func append(_ exchange: Exchange, isRunning: Bool = false, to line: inout [UInt8]) {
        var text = dim(Self.time(exchange.startedAt)) + " "
        text += clean(exchange.method) + " " + clean(exchange.url) + " "
        let none = isRunning ? dim("...") : painted("---", code: 31)
        text += exchange.status.map { painted("\($0)", code: Self.color(of: $0)) } ?? none
        text += " " + (isRunning ? painted("running", code: 36) : Self.duration(exchange.timings.total))
        text += " ↑" + Self.size(exchange.bytes.request) + " ↓" + Self.size(exchange.bytes.response)
        if let profile = exchange.profile {
            let reason = exchange.reason.flatMap { $0 == "active" ? nil : " by \($0)" } ?? ""
            text += " [" + painted(clean(profile), code: 36) + clean(reason) + "]"
        }
        if exchange.responder == "tunnel" { text += dim(" tunnel, not read") }
        if exchange.isUnlocked { text += " " + painted("UNLOCKED", code: 31) }
        if !exchange.redirectedTo.isEmpty {
            text += " " + painted("REDIRECTS TO \(clean(exchange.redirectedTo.joined(separator: ", ")))", code: 31)
        }
        for mock in exchange.passedMocks { text += dim(" mock \(clean(mock)) is off") }
        for attempt in exchange.attempts {
            text += " " + painted("✗ \(clean(attempt.origin)) \(clean(attempt.outcome))", code: 33)
        }
        if let origin = exchange.origin {
            text += " → " + clean(origin.url)
            if let trust = origin.trust {
                text += " trust=" + (isUnverified(trust) ? painted(clean(trust), code: 33) : clean(trust))
            }
            if origin.isReused { text += dim(" reused") }
        }
        if exchange.retries > 0 { text += " retried" }
        if !exchange.rewritten.isEmpty { text += dim(" rewrote " + clean(exchange.rewritten.joined(separator: ", "))) }
        if let failure = exchange.failure {
            text += " " + painted(clean("\(failure.side)/\(failure.stage): \(failure.message)"), code: 31)
        }
        line.append(contentsOf: text.utf8)
        line.append(UInt8(ascii: "\n"))
    }

    /// The names of the policies under which certificates of anyone pass.
    private func isUnverified(_ trust: String) -> Bool { trust == "disabled" || trust.hasSuffix("-unverified") }

    private func clean(_ text: String) -> String { PlainText.clean(text) }

    private func painted(_ text: String, code: Int) -> String { color ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text }
    private func dim(_ text: String) -> String { painted(text, code: 2) }

    private static func color(of status: Int) -> Int {
        switch status {
        case ..<400: 32
        case ..<500: 33
        default: 31
        }
    }

    /// Local time of day, with milliseconds.
    package static func time(_ microseconds: Int64) -> String {
        var seconds = time_t(microseconds / 1_000_000)
        var parts = tm()
        localtime_r(&seconds, &parts)
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Int64($0).padded(to: 2) }
        return clock.joined(separator: ":") + "." + (microseconds % 1_000_000 / 1000).padded(to: 3)
    }

    package static func duration(_ microseconds: UInt64) -> String {
        switch microseconds {
        case ..<10_000: oneDecimal(microseconds, 1000) + "ms"
        case ..<10_000_000: "\(microseconds / 1000)ms"
        default: oneDecimal(microseconds, 1_000_000) + "s"
        }
    }

    package static func size(_ bytes: UInt64) -> String {
        switch bytes {
        case ..<1000: "\(bytes)B"
        case ..<1_000_000: oneDecimal(bytes, 1000) + "kB"
        case ..<1_000_000_000: oneDecimal(bytes, 1_000_000) + "MB"
        default: oneDecimal(bytes, 1_000_000_000) + "GB"
        }
    }

    private static func oneDecimal(_ value: UInt64, _ unit: UInt64) -> String {
        "\(value / unit).\(value % unit * 10 / unit)"
    }
}
