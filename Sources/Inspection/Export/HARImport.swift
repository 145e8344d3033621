import Dispatch
import Exchanges
import JSON
import Redaction
public import Store

/// Imports the entries of an HTTP Archive into a store, in memory of one entry.
///
/// Secrets are replaced as in recorded traffic, whatever an entry says of itself; replacements in it stay. Entries that
/// cannot be read are skipped and reported; all others are stored.
public final class HARImport {
    /// Problems that are remembered; more are counted.
    private static let maxProblems = 100

    private let store: TrafficStore
    private let redactor: Redactor?
    /// The same for the facts of an exchange.
    private let facts: RecordingRedaction?
    private var splitter = HARSplitter()
    /// Entries that were taken.
    public private(set) var count = 0
    public private(set) var problems: [HARProblem] = []
    /// Of all problems.
    public private(set) var problemCount = 0
    /// When the oldest entry began, in microseconds since 1970.
    public private(set) var oldest: Int64?

    /// Opens the store for that; nothing in it makes room for what comes.
    ///
    /// - Parameter keepsSecrets: writes down what is in the file as it is.
    public init(store path: String, keepsSecrets: Bool = false) throws(StoreFailure) {
        var settings = StoreSettings()
        settings.whenFull = .wait
        settings.sizeLimit = .max
        settings.ageLimit = .max
        settings.finishing = 60_000
        settings.bodyLimit = HARSplitter.entryLimit
        // Bodies stand in an archive without their codings, whatever the heads say.
        settings.decoder = { _ in NoCoding() }
        store = try TrafficStore.open(path, settings)
        let key = keepsSecrets ? nil : store.key
        redactor = key.map { Redactor(key: $0) }
        facts = key.map { RecordingRedaction(key: $0, rules: RedactionRules()) }
    }

    /// Takes the next bytes of the file; what it throws ends the import.
    public func feed(_ piece: [UInt8]) throws(HARProblem) {
        var entries: [HARSplitter.Entry] = []
        defer { for entry in entries { take(entry) } }
        try splitter.feed(piece) { entries.append($0) }
    }

    /// To be called behind the last byte, and when there will be none: waits until all is written.
    public func finish() throws(HARProblem) {
        defer { store.finish() }
        try splitter.finish()
    }

    /// Writes what was taken, where the file cannot be read to its end.
    public func abandon() { store.finish() }

    private func take(_ entry: HARSplitter.Entry) {
        do throws(HARMistake) {
            let value: JSONValue
            do throws(JSONFailure) { value = try HARText.read(entry.bytes) } catch {
                throw HARMistake(
                    position: error.position,
                    message: error.message + (error.expected.map { "; expected \($0)" } ?? ""))
            }
            record(try HAREntryReader(value))
        } catch {
            problemCount += 1
            guard problems.count < Self.maxProblems else { return }
            let place = error.position
            problems.append(
                HARProblem(
                    line: entry.line + place.line - 1,
                    column: place.line == 1 ? entry.column + place.column - 1 : place.column, entry: entry.number,
                    message: error.message))
        }
    }

    private func record(_ entry: HAREntryReader) {
        count += 1
        oldest = min(oldest ?? .max, entry.exchange.startedAt)
        let secrets = redactor.map { PartRedaction($0) }
        var piece = RecordedPiece(
            id: UInt64(count), exchange: facts.map { entry.exchange.redacted(by: $0) } ?? entry.exchange, isFirst: true,
            isLast: true, requestCut: entry.requestCut, responseCut: entry.responseCut)
        (piece.originRequestCut, piece.originResponseCut) = (entry.originRequestCut, entry.originResponseCut)
        var heads: (request: HeadText?, response: HeadText?)
        for part in entry.parts {
            if case .clientRequest = part.kind { heads.request = HeadText(part.bytes) }
            if case .clientResponse = part.kind { heads.response = HeadText(part.bytes) }
            piece.append(part.kind, secrets?.redact(part.bytes, part.kind, heads) ?? part.bytes)
        }
        while !store.offer(piece) {
            let hasRoom = DispatchSemaphore(value: 0)
            store.whenRoom { hasRoom.signal() }
            hasRoom.wait()
        }
    }
}

/// Takes bytes for decoded as they are.
private struct NoCoding: BodyDecoding {
    mutating func decode(
        _ input: ArraySlice<UInt8>, isLast: Bool, into room: inout [UInt8]
    ) -> (taken: Int, given: Int)? {
        let count = min(input.count, room.count)
        for (index, byte) in input.prefix(count).enumerated() { room[index] = byte }
        return (count, count)
    }
}

/// JSON as other tools write it.
enum HARText {
    static func read(_ bytes: [UInt8]) throws(JSONFailure) -> JSONValue {
        do throws(JSONFailure) {
            return try JSONReader.read(bytes, dialect: .strict, sizeLimit: HARSplitter.entryLimit)
        } catch {
            let whole = wholeScalars(bytes)
            guard whole != bytes else { throw error }
            return try JSONReader.read(whole, dialect: .strict, sizeLimit: HARSplitter.entryLimit)
        }
    }

    /// Browsers write halves of surrogate pairs, where a text had such; they become U+FFFD, in as many bytes.
    private static func wholeScalars(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        var at = 0
        while at + 1 < bytes.count {
            guard bytes[at] == UInt8(ascii: "\\") else {
                at += 1
                continue
            }
            guard let unit = unit(bytes, at), unit & 0xF800 == 0xD800 else {
                at += 2
                continue
            }
            if unit < 0xDC00, let low = self.unit(bytes, at + 6), low & 0xFC00 == 0xDC00 {
                at += 12
            } else {
                for (offset, byte) in "\\ufffd".utf8.enumerated() { bytes[at + offset] = byte }
                at += 6
            }
        }
        return bytes
    }

    private static func unit(_ bytes: [UInt8], _ at: Int) -> UInt32? {
        guard at + 6 <= bytes.count, bytes[at] == UInt8(ascii: "\\"), bytes[at + 1] == UInt8(ascii: "u") else {
            return nil
        }
        return UInt32(String(decoding: bytes[(at + 2)..<(at + 6)], as: UTF8.self), radix: 16)
    }
}
