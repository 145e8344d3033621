import Exchanges
import JSON
public import Platform
public import Recordings
public import Store

/// Why a recording cannot be written.
public enum RecordingWriteFailure: Error, Sendable {
    /// There is one of this name.
    case isThere(path: String)
    case file(FileFailure)
    /// What is there is no recording.
    case unreadable(RecordingFailure)
    case store(StoreFailure)
}

/// Writes exchanges of a store into a recording.
///
/// The file is a whole HTTP Archive after each call: entries are written over the archive's end, with a new end. Where
/// that is interrupted the end is missing, which readers of recordings accept.
public final class RecordingWriter {
    private static let end = Array("\n]}}\n".utf8)
    /// Bytes that are written in one call: in pieces of 64 KiB, ext4 takes a third more time.
    private static let together = 256 << 10
    /// Exchanges that are read together, with what of them lies in blocks.
    private static let atOnce = 64

    public let path: String
    public private(set) var count = 0
    /// The last exchange of the latest call that was added or passed over; nil if there is none.
    public private(set) var last: Int64?
    private let descriptor: CInt
    /// Where what is gathered goes.
    private var place: UInt64
    private var isEmpty: Bool
    /// Where the last whole entry ends.
    private var whole: UInt64
    /// Gathers entries; the same for all of them, so that what it learnt from one serves the next.
    private var output = ExportOutput { _ in false }

    /// - Parameter adds: adds to a recording that is there, also to one whose end is missing.
    public init(_ path: String, adds: Bool, version: String) throws(RecordingWriteFailure) {
        self.path = path
        let isThere = Files.exists(path)
        if isThere, !adds { throw .isThere(path: path) }
        var old: (end: UInt64, count: Int)?
        if isThere {
            do throws(RecordingFailure) {
                let file = try RecordingFile(path: path)
                old = (file.end, file.count + file.skipped)
            } catch {
                throw .unreadable(error)
            }
        } else {
            do throws(FileFailure) { try Files.makeDirectory(Path.directory(of: path)) } catch {
                throw .file(error)
            }
        }
        // Only the user may read it, since it has traffic.
        descriptor = open(path, isThere ? O_RDWR | O_CLOEXEC : O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .file(FileFailure(path, "written")) }
        if let old {
            (place, whole, isEmpty) = (old.end, old.end, old.count == 0)
            guard ftruncate(descriptor, off_t(place)) == 0 else { throw .file(FileFailure(path, "written")) }
        } else {
            (place, whole, isEmpty) = (0, 0, true)
        }
        output = ExportOutput(size: Self.together) { [unowned self] in put($0) }
        if old == nil {
            let head =
                #"{"log":{"version":"1.2","creator":{"name":"Shunt","version":"\#(version)"},"pages":[],"entries":["#
            output.gather(head.utf8)
        }
        try finish()
    }

    deinit { close(descriptor) }

    /// Adds exchanges that have ended and can be replayed; after a failure ``last`` says how far it came.
    /// - Parameters:
    ///   - ids: in their order.
    ///   - onlyWhole: passes over exchanges with a body that was not kept to its end, or withheld.
    ///   - takes: false for exchanges that are passed over, too.
    public func add(
        _ ids: [Int64], from reader: TrafficReader, onlyWhole: Bool = false,
        where takes: (TrafficSummary) -> Bool = { _ in true }
    ) throws(RecordingWriteFailure) {
        var failure: ExportFailure?
        last = nil
        do throws(ExportFailure) {
            var rest = ids[...]
            while !rest.isEmpty {
                let next = rest.prefix(Self.atOnce)
                rest = rest.dropFirst(Self.atOnce)
                let records = try stored { () throws(StoreFailure) in try reader.records(next) }
                for record in records {
                    if takes(record.summary), record.summary.exchange.isReplayable,
                        try onlyWhole ? isWhole(record, reader) : true
                    {
                        try add(record, reader)
                    }
                    last = record.summary.id
                }
            }
        } catch {
            failure = error
            dropBroken()
        }
        try finish()
        if case .store(let failure) = failure { throw .store(failure) }
    }

    private func add(_ record: TrafficRecord, _ reader: TrafficReader) throws(ExportFailure) {
        output.gather((isEmpty ? "\n" : ",\n").utf8)
        _ = try HAREntryWriter(reader, record, output).write()
        // The next entry begins afresh.
        output.json.removeAll()
        whole = place + UInt64(output.gatheredCount)
        isEmpty = false
        count += 1
    }

    /// Both bodies were kept to their ends, also that of a response which is a part of a text.
    private func isWhole(_ record: TrafficRecord, _ reader: TrafficReader) throws(ExportFailure) -> Bool {
        guard ![record.requestBody, record.responseBody].contains(where: { $0.isCut || $0.isDropped }) else {
            return false
        }
        guard record.summary.exchange.status == 206 else { return true }
        var first: [UInt8] = []
        try stored { () throws(StoreFailure) in
            try reader.body(of: record, .response) { piece in
                first += piece.prefix(SecretMarks.longestPart)
                return first.count < SecretMarks.longestPart
            }
        }
        return !SecretMarks.isPart(first)
    }

    /// Takes back the beginning of an entry.
    private func dropBroken() {
        output.json.removeAll()
        if whole >= place {
            output.drop(behind: Int(whole - place))
        } else {
            output.drop(behind: 0)
            place = whole
            _ = ftruncate(descriptor, off_t(place))
        }
    }

    /// Writes what is gathered and the archive's end, over which the next entry goes.
    private func finish() throws(RecordingWriteFailure) {
        let end = place + UInt64(output.gatheredCount)
        output.gather(Self.end)
        do throws(ExportFailure) { try output.flush() } catch {
            let failure = FileFailure(path, "written")
            output.drop(behind: Int(end - place))
            throw .file(failure)
        }
        (place, whole) = (end, end)
    }

    /// Writes a piece; false if the file does not take it.
    private func put(_ piece: [UInt8]) -> Bool {
        var done = 0
        while done < piece.count {
            let sent = piece.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress.map { $0 + done }, piece.count - done, off_t(place) + off_t(done))
            }
            if sent >= 0 { done += sent } else if errno != EINTR { return false }
        }
        place += UInt64(piece.count)
        return true
    }
}

extension Exchange {
    /// A failed handshake has no URL, and a failed attempt no response.
    fileprivate var isReplayable: Bool { RecordedEntry.isReplayable(method: method, url: url, status: status ?? 0) }
}
