import Age
import Platform

/// Appends batches to segments, each an age file; confined to the recorder's thread.
///
/// Whole chunks are appended to the segment. What is left is a small age file beside it, replaced as a whole with each
/// batch, so that what was acknowledged stands in sealed files wherever the process is killed.
final class SealedLog {
    private let folder: String
    private let settings: SealSettings
    private let lock: CInt
    private var writer: SealedSegment?
    /// Of the segment that is being written.
    private var index = SegmentIndex()
    /// Above every number that was given out.
    private(set) var next: Int64
    /// The number of the newest frame.
    private var frame: Int64
    private var bytes: [UInt8] = []

    init(_ folder: String, _ settings: SealSettings, _ store: StoreSettings) throws(StoreFailure) {
        (self.folder, self.settings) = (folder, settings)
        do throws(StoreFailure) { try SealedFolder.check(folder) } catch {
            guard let tell = store.setAside else { throw error }
            tell(try SetAsideStore.folder(folder, now: store.clock()))
        }
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw StoreFailure(.cannotOpen, path: folder, "the folder cannot be made: \(systemReason())")
        }
        lock = open(SealedFolder.lock(folder), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else {
            throw StoreFailure(.cannotOpen, path: folder, "its lock cannot be made: \(systemReason())")
        }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw StoreFailure(
                .cannotOpen, path: folder,
                "another Shunt records into this sealed store, which has room for one; name another with --store FOLDER"
            )
        }
        let (newest, last) = (SealedFolder.newest(folder), SealedFolder.segments(folder).last)
        next = max(newest.exchange, last?.first ?? 0) + 1
        frame = max(newest.frame, last?.number ?? 0)
    }

    deinit { StoreFiles.closeLocked(lock) }

    /// Puts a batch on disk; where that fails, it can be tried again with the same batch.
    ///
    /// - Parameter running: gives the exchanges that have not ended, for a new segment.
    func append(
        _ batch: borrowing WriteBatch, first: Int64, key: [UInt8], running: () -> [Int64]
    ) throws(StoreFailure) {
        bytes.removeAll(keepingCapacity: bytes.capacity <= 8 << 20)
        // The files may have been removed, to clear the store.
        if let writer, writer.isRemoved { self.writer = nil }
        if let writer, writer.count >= settings.segment { try rotate() }
        if writer == nil {
            // Those that end in this batch do not run any more.
            let carried = Set(running()).union(batch.olderExchanges).sorted()
            SegmentFrame.append(SegmentFrame.Head(first: first, key: key, carried: carried), to: &bytes)
            index = SegmentIndex()
        }
        SegmentFrame.append(batch, first: first, to: &bytes)
        let segment =
            if let writer { writer } else {
                try SealedSegment(folder, SegmentName(number: frame + 1, first: first), settings.recipients)
            }
        do throws(StoreFailure) { try segment.append(bytes) } catch {
            // Other bytes must not be sealed as the same chunk.
            writer = nil
            if segment.count == 0 { SealedFolder.remove(folder, segment.name) }
            throw error
        }
        writer = segment
        index.add(batch)
        (next, frame) = (first + batch.newCount, frame + max(1, batch.frameCount))
        let text = Array("\(next - 1) \(frame)\n".utf8)
        _ = text.withUnsafeBytes { pwrite(lock, $0.baseAddress, $0.count, 0) }
    }

    /// Completes the segment; the next batch begins another one.
    func rotate() throws(StoreFailure) {
        try writer?.finish(index)
        writer = nil
    }

    /// Removes the oldest segments while there are too many bytes, and those that are too old; returns the bytes kept.
    func retain(sizeLimit: Int64, ageLimit: Int64, now: Int64) -> Int64 {
        var segments = SealedFolder.segments(folder).map { name in
            (name: name, facts: SealedFolder.facts(folder, name))
        }
        var size = segments.reduce(0) { $0 + $1.facts.size }
        let (age, isEternal) = ageLimit.multipliedReportingOverflow(by: 1_000_000)
        while segments.count > 1, let oldest = segments.first {
            let isOld = !isEternal && oldest.facts.changed < now - age
            guard size > sizeLimit || isOld else { break }
            SealedFolder.remove(folder, oldest.name)
            size -= oldest.facts.size
            segments.removeFirst()
        }
        return size
    }
}

/// The reason of the last system call.
func systemReason() -> String { String(cString: strerror(errno)) }
