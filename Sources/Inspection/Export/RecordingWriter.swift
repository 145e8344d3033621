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
    /// Bytes that are written in one call.
    private static let together = 256 << 10

    public let path: String
    public private(set) var count = 0
    private let descriptor: CInt
    /// Where what is gathered goes.
    private var place: UInt64
    private var isEmpty: Bool
    /// Where the last whole entry ends.
    private var whole: UInt64
    private var gathered: [UInt8] = []
    /// Of all entries, so that what it learnt from one serves the next.
    private var output: ExportOutput?

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
            do throws(FileFailure) {
                try Files.makeDirectory(Path.directory(of: path))
            } catch {
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
            let head =
                #"{"log":{"version":"1.2","creator":{"name":"Shunt","version":"\#(version)"},"pages":[],"entries":["#
            gathered += head.utf8
        }
        try finish()
    }

    deinit { close(descriptor) }

    /// Adds exchanges that have ended.
    /// - Parameter onlyWhole: passes over exchanges with a body that was not kept to its end.
    public func add(
        _ ids: [Int64], from reader: TrafficReader, onlyWhole: Bool = false
    ) throws(RecordingWriteFailure) {
        var failure: ExportFailure?
        do throws(ExportFailure) {
            var rest = ids[...]
            while !rest.isEmpty {
                let next = rest.prefix(ExportCursor.atOnce)
                rest = rest.dropFirst(ExportCursor.atOnce)
                let records = try stored { () throws(StoreFailure) in try reader.records(next) }
                for record in records where !onlyWhole || record.isWhole { try add(record, reader) }
            }
        } catch {
            failure = error
            dropBroken()
        }
        try finish()
        if case .store(let failure) = failure { throw .store(failure) }
    }

    private func add(_ record: TrafficRecord, _ reader: TrafficReader) throws(ExportFailure) {
        gathered += (isEmpty ? "\n" : ",\n").utf8
        let output = output ?? makeOutput()
        self.output = output
        _ = try HAREntryWriter(reader, record, output).write()
        try output.flush()
        // The next entry begins afresh.
        output.json.removeAll()
        whole = place + UInt64(gathered.count)
        isEmpty = false
        count += 1
    }

    private func makeOutput() -> ExportOutput {
        ExportOutput { [unowned self] piece in
            gathered += piece
            // Small entries are written together, large ones in pieces.
            return gathered.count < Self.together || put()
        }
    }

    /// Takes back the beginning of an entry.
    private func dropBroken() {
        output = nil
        if whole >= place {
            gathered.removeLast(gathered.count - Int(whole - place))
        } else {
            gathered.removeAll()
            place = whole
            _ = ftruncate(descriptor, off_t(place))
        }
    }

    /// Writes what is gathered and the archive's end, over which the next entry goes.
    private func finish() throws(RecordingWriteFailure) {
        let entries = gathered.count
        gathered += Self.end
        let start = place
        guard put() else { throw .file(FileFailure(path, "written")) }
        place = start + UInt64(entries)
        whole = place
    }

    /// Writes what is gathered; false if the file does not take it.
    private func put() -> Bool {
        var done = 0
        while done < gathered.count {
            let sent = gathered.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress.map { $0 + done }, gathered.count - done, off_t(place) + off_t(done))
            }
            if sent >= 0 { done += sent } else if errno != EINTR { return false }
        }
        place += UInt64(gathered.count)
        gathered.removeAll(keepingCapacity: true)
        return true
    }
}

extension TrafficRecord {
    /// Both bodies were kept to their ends.
    fileprivate var isWhole: Bool {
        ![requestBody, responseBody].contains { $0.isCut || $0.isDropped }
    }
}
