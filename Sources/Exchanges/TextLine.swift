import Bytes
import Platform

/// One exchange in one line for people: `12:01:02.123 GET https://host/path 200 12ms ↑0B ↓3.4kB [staging] → https://origin`.
package struct TextLine {
    private let color: Bool

    package init(color: Bool) { self.color = color }

    package func append(_ exchange: Exchange, isRunning: Bool = false, to line: inout [UInt8]) {
        var text = painted(Self.time(exchange.startedAt), LinePiece.dim) + " "
        text += PlainText.clean(exchange.method) + " " + Self.url(exchange) + " "
        text += status(exchange, isRunning: isRunning) + " "
        text += isRunning ? painted("running", LinePiece.cyan) : Self.duration(exchange.timings.total)
        text += " ↑" + Self.size(exchange.bytes.request) + " ↓" + Self.size(exchange.bytes.response)
        for piece in LinePiece.all(of: exchange, namesTrust: true) { text += " " + piece.painted(color) }
        line.append(contentsOf: text.utf8)
        line.append(UInt8(ascii: "\n"))
    }

    /// Three characters.
    func status(_ exchange: Exchange, isRunning: Bool) -> String {
        if let status = exchange.status { return painted("\(status)", Self.color(of: status)) }
        return isRunning ? painted("...", LinePiece.dim) : painted("---", LinePiece.red)
    }

    func painted(_ text: String, _ code: Int) -> String { color ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text }

    /// As the client meant it; of a CONNECT host and port, which have no scheme.
    static func url(_ exchange: Exchange) -> String {
        var url = exchange.url
        if exchange.method == "CONNECT", let scheme = ["https://", "http://"].first(where: url.hasPrefix) {
            url.removeFirst(scheme.count)
        }
        return PlainText.clean(ReadableSecrets.text(url))
    }

    private static func color(of status: Int) -> Int {
        switch status {
        case ..<400: LinePiece.green
        case ..<500: LinePiece.yellow
        default: LinePiece.red
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
