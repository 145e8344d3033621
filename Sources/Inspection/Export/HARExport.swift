import JSON
import Redaction
import Store

/// Writes recorded exchanges as an HTTP Archive, version 1.2, in memory that does not grow with their number or size.
///
/// Entries tell what the client sent and got. What HAR has no place for stands in members that begin with `_`
/// (docs/export.md). Times are in milliseconds.
public struct HARExport {
    private let cursor: ExportCursor
    private let version: String
    private let threads: Int

    /// - Parameter version: of the program, for `creator`.
    /// - Parameter threads: how many render exchanges beside the caller's, which writes; 0 where it does all.
    public init(_ search: TrafficSearch, version: String, threads: Int = 0) {
        cursor = ExportCursor(search)
        (self.version, self.threads) = (version, threads)
    }

    /// The text is complete only if this does not throw.
    /// - Parameter told: is called now and then with the number of exchanges so far.
    public func write(
        to output: ExportOutput, told: (_ exchanges: Int) -> Void = { _ in }
    ) throws(ExportFailure) -> ExportSummary {
        output.json.beginObject()
        output.json.key("log")
        output.json.beginObject()
        output.json.member("version", "1.2")
        output.json.object("creator") {
            $0.members(["name": "Shunt", "version": version])
        }
        output.json.array("pages") { _ in }
        output.json.key("entries")
        output.json.beginArray()
        try output.append(CollectionOfOne(0x0A))
        let summary =
            if threads > 0, let file = cursor.reader.file {
                try HARRenderers(file, threads, output.calls).write(cursor, to: output, told)
            } else {
                try writeAll(to: output, told)
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

    private func writeAll(
        to output: ExportOutput, _ told: (_ exchanges: Int) -> Void
    ) throws(ExportFailure) -> ExportSummary {
        var summary = ExportSummary()
        try cursor.eachPart { ids throws(ExportFailure) in
            try Self.write(ids, cursor.reader, to: output, &summary)
            told(summary.exchanges)
        }
        return summary
    }

    /// Writes entries, with a comma in front of each but the first one of a summary.
    static func write(
        _ ids: ArraySlice<Int64>, _ reader: TrafficReader, to output: ExportOutput, _ summary: inout ExportSummary
    ) throws(ExportFailure) {
        for record in try ExportCursor.records(ids, reader) {
            if summary.exchanges > 0 { output.endEntry() }
            summary.count(try HAREntryWriter(reader, record, output).write())
        }
    }
}

/// How an exchange's secrets appear in its head and bodies.
struct SecretsSeen {
    var isRedacted = false
    var isInClear = false

    init(_ heads: [KnownHead?], _ bodies: [BodyScan]) {
        // Most origins' heads are the same on both sides.
        var different: [KnownHead] = []
        for case let head? in heads where different.last !== head { different.append(head) }
        isRedacted = different.contains { $0.hasReplacement } || bodies.contains { $0.hasReplacement }
        isInClear = different.contains { $0.hasCredential }
    }

    /// Those in a URL, too.
    func with(_ url: String) -> SecretsSeen {
        guard !isRedacted, Replacement.isMentioned(in: Array(url.utf8)) else { return self }
        var both = self
        both.isRedacted = true
        return both
    }

    static func hasCredential(_ lines: HeadLines) -> Bool { lines.fields.contains { isCredential($0, lines) } }

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
    static func += (sum: inout ExportSummary, other: ExportSummary) {
        sum.exchanges += other.exchanges
        sum.redacted += other.redacted
        sum.inClear += other.inClear
    }

    mutating func count(_ secrets: SecretsSeen) {
        exchanges += 1
        if secrets.isRedacted { redacted += 1 }
        if secrets.isInClear { inClear += 1 }
    }
}
