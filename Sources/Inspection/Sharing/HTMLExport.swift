import Bytes
import Exchanges
public import Redaction
import Store

/// Writes recorded exchanges as one page that needs nothing but itself, in memory of one exchange.
///
/// Secrets are replaced, whatever the store holds. Nothing that was recorded becomes markup, style or script: texts are
/// escaped, and the page's policy allows only its own style and script, by their digests.
public struct HTMLExport {
    private static let limits = SharedLimits(lines: 2000, width: 2000, bytes: 256 << 10)

    private let cursor: ExportCursor
    private let version: String
    private let rules: [String: RedactionRules]
    private let calls: CallSchemas

    /// - Parameters:
    ///   - version: of the program.
    ///   - rules: the rules for secrets of profiles, by their names.
    ///   - calls: by which messages of gRPC calls are shown.
    public init(
        _ search: TrafficSearch, version: String, rules: [String: RedactionRules] = [:], calls: CallSchemas = .none
    ) {
        cursor = ExportCursor(search)
        (self.version, self.rules, self.calls) = (version, rules, calls)
    }

    /// The page is complete only if this does not throw.
    /// - Parameter told: is called after each exchange with their number so far.
    public func write(
        to output: ExportOutput, told: (_ exchanges: Int) -> Void = { _ in }
    ) throws(ExportFailure) -> ExportSummary {
        let rules = try stored { () throws(StoreFailure) in
            try SharingRules(cursor.reader, rules: self.rules, calls: calls)
        }
        var summary = ExportSummary()
        try output.append(SharedPage.start(version: version).utf8)
        try cursor.each { record throws(ExportFailure) in
            let exchange = SharedExchange(record, cursor.reader, rules, Self.limits)
            let text = try stored { () throws(StoreFailure) in try SharedEntry(exchange).text }
            summary.exchanges += 1
            // As it stands in HTML.
            if text.utf8.firstRange(of: "redacted:".utf8) != nil { summary.redacted += 1 }
            try output.append(text.utf8)
            told(summary.exchanges)
        }
        try output.append(SharedPage.end(summary).utf8)
        try output.flush()
        return summary
    }
}

/// One exchange as HTML: a row that opens.
struct SharedEntry {
    let text: String

    init(_ shared: SharedExchange) throws(StoreFailure) {
        let exchange = shared.exchange
        let status = exchange.status.map(String.init) ?? (shared.isEnded ? "failed" : "running")
        let isBad = exchange.failure != nil || exchange.status.map { $0 >= 400 } ?? shared.isEnded
        let by = [
            exchange.profile, exchange.responder.map { "by \($0)" }, shared.responseType,
            LogQuantity.size(exchange.bytes.response),
            shared.isEnded ? LogQuantity.duration(exchange.timings.total) : nil,
        ].compactMap { $0 }.joined(separator: " · ")
        var html = "<details id=\"x\(shared.id)\"><summary><b>\(Self.clean(shared.method))</b> "
        html += "<b\(isBad ? " class=\"bad\"" : "")>\(status)</b> <bdi>\(Self.clean(shared.url))</bdi> "
        html += "<small>\(Self.clean(by))</small></summary>\n"
        html += "<p><a href=\"#x\(shared.id)\">Link to exchange \(shared.id)</a></p>\n"
        html += Self.bars(exchange.timings)
        for section in try [shared.facts] + shared.sections() { html += Self.html(section) }
        text = html + "</details>\n"
    }

    private static func html(_ section: SharedSection) -> String {
        var html = "<h2>\(clean(section.title))</h2>\n"
        if let picture = section.picture {
            html += "<img alt=\"\(clean(section.title))\" loading=\"lazy\" src=\"data:\(picture.type);base64,"
            html += Base64Encoder.text(picture.bytes) + "\">\n"
        }
        if !section.lines.isEmpty {
            html += "<pre>"
            for line in section.lines {
                let text = clean(line.text)
                switch line.sign {
                case .same: html += text
                case .added: html += "<ins>+ \(text)</ins>"
                case .removed: html += "<del>− \(text)</del>"
                }
                if let reason = line.reason { html += " <small>\(clean(reason))</small>" }
                html += "\n"
            }
            html += "</pre>\n"
        }
        return html + section.notes.map { "<p class=\"note\">\(clean($0))</p>\n" }.joined()
    }

    /// The phases one behind the other, as shares of the whole time.
    private static func bars(_ timings: Exchange.Timings) -> String {
        let phases: [(name: String, time: UInt64?)] = [
            ("blocked", timings.blocked), ("dns", timings.dns), ("connect", timings.connect), ("tls", timings.tls),
            ("send", timings.send), ("wait", timings.wait), ("receive", timings.receive),
        ]
        let known = phases.compactMap { phase in phase.time.map { (phase.name, Double($0)) } }.filter { $0.1 > 0 }
        guard !known.isEmpty else { return "" }
        let whole = max(Double(timings.total), known.reduce(0) { $0 + $1.1 })
        var (bars, at) = ("", 0)
        for (name, time) in known {
            let width = max(1, Int(time / whole * 1000))
            bars += "<rect class=\"\(name)\" x=\"\(at)\" width=\"\(width)\" height=\"8\"/>"
            at += width
        }
        let words = known.map { "\($0.0) \(LogQuantity.duration(UInt64($0.1)))" }.joined(separator: ", ")
        return
            "<svg viewBox=\"0 0 1000 8\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"\(words)\">\(bars)</svg>\n"
    }

    /// Without characters that turn the direction of writing, and without markup.
    private static func clean(_ text: String) -> String { HTMLText.escaped(PlainText.clean(text)) }
}
