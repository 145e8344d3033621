import Bytes
import Exchanges

/// A page that needs nothing but itself: summary, expectations, and a waterfall of the exchanges that are named.
struct HTMLReport {
    let report: ExpectationReport
    /// Heads and bodies of the exchanges that are named, as text.
    let details: [Int64: String]

    var text: String {
        var page = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>Shunt: \(Self.clean(report.summary))</title>
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <style>
            body { font: 15px/1.5 system-ui, sans-serif; max-width: 72em; margin: 2em auto; padding: 0 1em; color: #1a1a1a }
            pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f4f4f4; padding: .6em; font-size: 13px }
            .met { color: #1a7f37 } .not { color: #b3261e; font-weight: 600 }
            .bar { background: #e6e6e6; height: 1em; position: relative } .bar i { position: absolute; background: #3367d6; height: 1em; min-width: 2px }
            table { border-collapse: collapse; width: 100% } td { padding: .2em .5em; vertical-align: top; overflow-wrap: anywhere }
            @media (prefers-color-scheme: dark) { body { background: #1a1a1a; color: #eee } pre, .bar { background: #2b2b2b } .met { color: #57ab5a } .not { color: #f2796f } }
            </style></head><body>
            <h1>\(Self.clean(report.summary))</h1>

            """
        for result in report.results {
            let mark = result.isFulfilled ? "<span class=\"met\">met</span>" : "<span class=\"not\">not met</span>"
            page +=
                "<h2>\(mark) \(Self.clean(result.expectation.name))</h2>\n<p>\(Self.clean(result.expectation.place))</p>\n"
            for mismatch in result.mismatches {
                page += "<pre>\(report.lines(mismatch).map(Self.clean).joined(separator: "\n"))</pre>\n"
            }
            for note in result.notes { page += "<p>\(Self.clean(note))</p>\n" }
        }
        let named = report.named.values.sorted { $0.id < $1.id }
        guard let begin = named.map(\.exchange.startedAt).min() else { return page + "</body></html>\n" }
        // Of archives of other tools, too, which may name any times.
        let end = named.map { Double($0.exchange.startedAt) + Double($0.exchange.timings.total) }.max() ?? 0
        let length = max(1, end - Double(begin))
        page += "<h2>Exchanges</h2>\n<table>\n"
        for one in named {
            func percent(_ time: Double) -> String {
                let share = Int(time * 1000 / length)
                return "\(share / 10).\(share % 10)%"
            }
            let left = percent(Double(one.exchange.startedAt) - Double(begin))
            let width = percent(Double(one.exchange.timings.total))
            page += "<tr><td style=\"width:60%\"><details><summary>\(Self.clean(one.line))</summary>"
            page += "<pre>\(Self.clean(details[one.id] ?? ""))</pre></details></td>"
            page += "<td><div class=\"bar\"><i style=\"left:\(left);width:\(width)\"></i></div></td></tr>\n"
        }
        return page + "</table>\n</body></html>\n"
    }

    /// References to characters are the same in HTML as in XML.
    private static func clean(_ text: String) -> String { ExpectationReport.xml(text) }
}
