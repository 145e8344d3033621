import Bytes
import JSON
import Platform

/// A recording: the entries of an HTTP Archive (HAR 1.2) that is open for reading, with their bodies on the disk.
///
/// The end of the file may be missing, as of a recording that was broken off: the entries in front of it count.
public final class RecordingFile: Sendable {
    public let path: String
    package let entries: [RecordedEntry]
    /// The file ends before its archive does.
    public let isCut: Bool
    /// Entries that cannot be replayed: no request of HTTP belongs to them, as of `data:` URLs, or no response came.
    public let skipped: Int
    /// That in words; nil without any.
    public var skippedText: String? {
        skipped == 0 ? nil : "\(skipped) \(skipped == 1 ? "entry has" : "entries have") no URL of HTTP or no response"
    }
    /// Behind the last entry, where more can be added.
    package let end: UInt64
    /// nil for a recording that is still to be made.
    private let file: ArchiveFile?

    /// By which a later state of the file is told from this one.
    public var state: String { file?.state ?? "missing" }

    public var count: Int { entries.count }

    /// When the first exchange began, in microseconds since 1970; nil where the recording does not say.
    public var started: Int64? { entries.lazy.map(\.started).filter { $0 > 0 }.min() }

    /// A recording without entries, whose file is still to be made.
    public init(missing path: String) {
        (self.path, entries, isCut, skipped, end, file) = (path, [], false, 0, 0, nil)
    }

    public init(path: String) throws(RecordingFailure) {
        self.path = path
        let file = try ArchiveFile(path)
        self.file = file
        var entries: [RecordedEntry] = []
        var (hasEntries, isCut, skipped) = (false, false, 0)
        // Where reading ended, and where the entries end.
        var (place, end): (UInt64, UInt64) = (0, 0)
        do throws(ArchiveScanner.Stop) {
            var scanner = try ArchiveScanner(file)
            defer { place = scanner.offset }
            try scanner.object("the archive") { scanner, key throws(ArchiveScanner.Stop) in
                guard key == "log" else {
                    try scanner.skipValue()
                    return
                }
                try scanner.object("the log") { scanner, key throws(ArchiveScanner.Stop) in
                    guard key == "entries" else {
                        try scanner.skipValue()
                        return
                    }
                    if try scanner.token() == UInt8(ascii: "[") {
                        hasEntries = true
                        end = scanner.offset + 1
                    }
                    try scanner.array("the entries") { scanner throws(ArchiveScanner.Stop) in
                        let entry = try scanner.entry()
                        if entry.isReplayable { entries.append(entry) } else { skipped += 1 }
                        end = scanner.offset
                    }
                }
            }
        } catch {
            if let message = error.message {
                let (line, column) = file.place(of: place)
                throw RecordingFailure(message, line: line, column: column)
            }
            isCut = true
        }
        guard hasEntries else {
            throw RecordingFailure(
                isCut
                    ? "ends before its list of entries begins"
                    : "has no list log.entries, so it is no HTTP Archive (HAR)")
        }
        (self.entries, self.isCut, self.skipped, self.end) = (entries, isCut, skipped, end)
    }

    /// The bytes of a body; nil where the file has changed and no longer has them.
    package func bytes(_ body: RecordedEntry.Body) throws(RecordingFailure) -> [UInt8] {
        if let name = body.file { return try bytes(ofFile: name) }
        guard let text = body.text else {
            guard let parameters = body.parameters else { return [] }
            return Array(
                try fields(parameters).map { "\(FormCoding.encoded($0.name))=\(FormCoding.encoded($0.value))" }
                    .joined(separator: "&").utf8)
        }
        let bytes = JSONText.bytes(try literal(text))
        guard body.isBase64 else { return bytes }
        guard let decoded = Base64Decoder.bytes(String(decoding: bytes, as: UTF8.self)) else {
            throw failure("has a body that is no Base64, though its encoding says so", text)
        }
        return decoded
    }

    private func bytes(ofFile name: String) throws(RecordingFailure) -> [UInt8] {
        guard !name.hasPrefix("."), !name.utf8.contains(UInt8(ascii: "/")) else {
            throw RecordingFailure("names a file “\(name)” that does not lie beside it")
        }
        do throws(FileFailure) {
            return try Files.read("\(Path.directory(of: path))/\(name)", limit: 128 << 20)
        } catch {
            throw RecordingFailure("has a body in the file \(name), which cannot be read: \(error.reason)")
        }
    }

    package func requestFields(_ entry: RecordedEntry) throws(RecordingFailure) -> [(name: String, value: String)] {
        try entry.requestHeaders.map { range throws(RecordingFailure) in try fields(range) } ?? []
    }

    /// Several Set-Cookie in one value, as browsers write them, become several fields.
    package func responseFields(_ entry: RecordedEntry) throws(RecordingFailure) -> [(name: String, value: String)] {
        let fields = try entry.responseHeaders.map { range throws(RecordingFailure) in try self.fields(range) } ?? []
        return fields.flatMap { field in
            field.value.utf8.split(separator: 0x0A, omittingEmptySubsequences: field.value.utf8.contains(0x0A)).map {
                (name: field.name, value: String(decoding: $0, as: UTF8.self))
            }
        }
    }

    func responseTrailers(_ entry: RecordedEntry) throws(RecordingFailure) -> [(name: String, value: String)] {
        try entry.responseTrailers.map { range throws(RecordingFailure) in try fields(range) } ?? []
    }

    func literal(_ range: Range<UInt64>) throws(RecordingFailure) -> [UInt8] {
        guard let bytes = file?.read(range) else { throw RecordingFailure("was cut off while it was in use") }
        return bytes
    }

    private func fields(_ range: Range<UInt64>) throws(RecordingFailure) -> [(name: String, value: String)] {
        let bytes = try literal(range)
        let value: JSONValue
        do throws(JSONFailure) {
            value = try JSONReader.read(bytes, dialect: .strict)
        } catch {
            throw failure("has a list of names and values that is no JSON: \(error.message)", range)
        }
        return (value.array ?? []).compactMap { item in
            guard let name = item["name"]?.string, !name.isEmpty else { return nil }
            return (name: name, value: item["value"]?.string ?? item["value"]?.number?.text ?? "")
        }
    }

    func failure(_ message: String, _ range: Range<UInt64>) -> RecordingFailure {
        let place = file?.place(of: range.lowerBound)
        return RecordingFailure(message, line: place?.line ?? 1, column: place?.column ?? 1)
    }

    /// The line in which an entry begins, from 1.
    package func line(of entry: RecordedEntry) -> Int { file?.place(of: entry.start).line ?? 1 }
}
