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

/// Writes exchanges of a store into a recording, one by one.
///
/// The file is a whole HTTP Archive after each of them: an entry is written over the archive's end, together with a new
/// end, in one call. Where that call is interrupted the end is missing, which readers of recordings accept.
public final class RecordingWriter {
    private static let end = Array("\n]}}\n".utf8)

    public let path: String
    public private(set) var count = 0
    private let descriptor: CInt
    /// Where the next entry goes.
    private var place: UInt64
    private var isFirst: Bool

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
            (place, isFirst) = (old.end, old.count == 0)
            guard ftruncate(descriptor, off_t(place)) == 0 else { throw .file(FileFailure(path, "written")) }
        } else {
            (place, isFirst) = (0, true)
            let head =
                #"{"log":{"version":"1.2","creator":{"name":"Shunt","version":"\#(version)"},"pages":[],"entries":["#
            try write(Array(head.utf8))
            return
        }
        try write([])
    }

    deinit { close(descriptor) }

    /// Adds an exchange that has ended.
    /// - Parameter onlyWhole: passes over one of which a body was not kept to its end.
    public func add(_ id: Int64, from reader: TrafficReader, onlyWhole: Bool = false) throws(RecordingWriteFailure) {
        var entry = Array((isFirst ? "\n" : ",\n").utf8)
        do throws(ExportFailure) {
            guard let record = try stored({ () throws(StoreFailure) in try reader.record(id) }) else { return }
            if onlyWhole, [record.requestBody, record.responseBody].contains(where: { $0.isCut || $0.isDropped }) {
                return
            }
            let output = ExportOutput {
                entry += $0
                return true
            }
            _ = try HAREntryWriter(reader, record, output).write()
            try output.flush()
        } catch {
            guard case .store(let failure) = error else { return }
            throw .store(failure)
        }
        try write(entry)
        isFirst = false
        count += 1
    }

    /// Writes the next bytes of the archive and its end.
    private func write(_ bytes: [UInt8]) throws(RecordingWriteFailure) {
        let all = bytes + Self.end
        var done = 0
        while done < all.count {
            let sent = all.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress.map { $0 + done }, all.count - done, off_t(place) + off_t(done))
            }
            if sent >= 0 { done += sent } else if errno != EINTR { throw .file(FileFailure(path, "written")) }
        }
        place += UInt64(bytes.count)
    }
}
