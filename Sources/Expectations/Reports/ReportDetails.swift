import Inspection
import Store

extension ExpectationReport {
    /// Bytes of a body that a page shows.
    private static let maxBody = 8 << 10

    /// One self-contained page, with both sides of each exchange that is named.
    package func html(_ traffic: Observations) throws(CheckFailure) -> String {
        var details: [Int64: String] = [:]
        for id in named.keys {
            guard let record = try traffic.record(id) else { continue }
            var text = ""
            for (head, side) in [
                (record.clientRequest, BodySide.request), (record.clientResponse ?? record.originResponse, .response),
            ] {
                text += HeadText(head ?? []).lines.joined(separator: "\n") + "\n\n"
                let bytes = try traffic.body(record, side)
                if let body = String(validating: bytes.prefix(Self.maxBody), as: UTF8.self) {
                    text += body + (bytes.count > Self.maxBody ? "…" : "") + "\n\n"
                } else {
                    text += "\(bytes.count) bytes that are no text\n\n"
                }
            }
            details[id] = text
        }
        return HTMLReport(report: self, details: details).text
    }
}

extension HeadText {
    fileprivate var lines: [String] { [startLine] + fields.map { "\($0.name): \($0.value)" } }
}
