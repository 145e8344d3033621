import JSON
import Redaction

/// Writes recorded exchanges as an HTTP Archive, version 1.2, in memory that does not grow with their number or size.
///
/// Entries tell what the client sent and got. What HAR has no place for stands in members that begin with `_`
/// (docs/export.md). Times are in milliseconds.
public struct HARExport {
    private let cursor: ExportCursor
    private let version: String

    /// - Parameter version: of the program, for `creator`.
    public init(_ search: TrafficSearch, version: String) {
        cursor = ExportCursor(search)
        self.version = version
    }

    /// The text is complete only if this does not throw.
    /// - Parameter told: is called after each exchange with their number so far.
    public func write(
        to output: ExportOutput, told: (_ exchanges: Int) -> Void = { _ in }
    ) throws(ExportFailure) -> ExportSummary {
        var summary = ExportSummary()
        output.json.beginObject()
        output.json.key("log")
        output.json.beginObject()
        output.json.member("version", "1.2")
        output.json.object("creator") {
            $0.member("name", "Shunt")
            $0.member("version", version)
        }
        output.json.array("pages") { _ in }
        output.json.key("entries")
        output.json.beginArray()
        try cursor.each { record throws(ExportFailure) in
            try output.append(CollectionOfOne(0x0A))
            let secrets = try HAREntryWriter(cursor.reader, record, output).write()
            summary.count(secrets)
            told(summary.exchanges)
        }
        output.json.endArray()
        // Known only now.
        output.json.member("comment", summary.secretsText)
        output.json.endObject()
        output.json.endObject()
        output.json.endLine()
        try output.flush()
        return summary
    }
}

/// How an exchange's secrets appear in its head and bodies.
struct SecretsSeen {
    var isRedacted = false
    var isInClear = false

    init(_ heads: [[UInt8]?], _ url: String, _ bodies: [BodyScan]) {
        // Most origins' heads are the same on both sides.
        var different: [[UInt8]] = []
        for case let head? in heads where different.last != head { different.append(head) }
        isRedacted =
            different.contains { Replacement.isMentioned(in: $0) } || Replacement.isMentioned(in: Array(url.utf8))
            || bodies.contains { $0.hasReplacement }
        isInClear = different.contains { Self.hasCredential($0) }
    }

    private static func hasCredential(_ head: [UInt8]) -> Bool {
        let lines = HeadLines(head)
        return lines.fields.contains { isCredential($0, lines) }
    }

    private static func isCredential(_ field: HeadLines.Field, _ lines: HeadLines) -> Bool {
        if lines.isNamed(field, "authorization") || lines.isNamed(field, "proxy-authorization") {
            return isSecret(lines.text(field.value))
        }
        if lines.isNamed(field, "cookie") {
            return RecordedCookie.all(cookie: lines.text(field.value)).contains { isSecret($0.value) }
        }
        return lines.isNamed(field, "set-cookie")
            && isSecret(RecordedCookie.pair(setCookie: lines.text(field.value)).value)
    }

    /// Words as `true` stay when secrets are replaced.
    private static func isSecret(_ value: String) -> Bool { value.utf8.count > 5 && !isReplaced(value.utf8) }

    private static func isReplaced(_ value: String.UTF8View) -> Bool { Replacement.isMentioned(in: Array(value)) }
}

extension ExportSummary {
    mutating func count(_ secrets: SecretsSeen) {
        exchanges += 1
        if secrets.isRedacted { redacted += 1 }
        if secrets.isInClear { inClear += 1 }
    }
}
