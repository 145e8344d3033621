import Age
import Platform

/// One segment that is being written, with its tail; confined to its owner.
final class SealedSegment {
    let name: SegmentName
    private let path: String
    private let tailPath: String
    private let indexPath: String
    private let descriptor: CInt
    private let key: SealingKey
    private var chunks: ChunkSealer
    /// Bytes behind the last whole chunk; never empty once something was appended, so that the last chunk is not.
    private var rest: [UInt8] = []
    /// Bytes of the file that are right; more may stand there after a failure.
    private var end: Int
    /// Bytes in the clear that were appended.
    private(set) var count = 0

    /// - Parameter name: one that no segment of the folder has.
    init(_ folder: String, _ name: SegmentName, _ recipients: [any AgeRecipient]) throws(StoreFailure) {
        self.name = name
        path = folder + "/" + name.file
        tailPath = folder + "/" + name.tail
        indexPath = folder + "/" + name.index
        do throws(AgeFailure) {
            key = try SealingKey(recipients)
            chunks = try ChunkSealer(key)
        } catch {
            throw StoreFailure(.other, path: path, error.message)
        }
        // It has its name once its header is there: a process that is killed in between leaves nothing to be read.
        let begun = folder + "/" + name.begun
        unlink(begun)
        descriptor = open(begun, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreFiles.failure(path) }
        let header = chunks.header
        end = header.count
        do throws(StoreFailure) {
            try StoreFiles.write(header, descriptor, at: 0, path)
            guard rename(begun, path) == 0 else { throw StoreFiles.failure(path) }
        } catch {
            unlink(begun)
            throw error
        }
    }

    deinit { close(descriptor) }

    /// The file was deleted.
    var isRemoved: Bool {
        var facts = stat()
        return fstat(descriptor, &facts) != 0 || facts.st_nlink == 0
    }

    /// Appends all of it, or nothing that counts.
    func append(_ bytes: [UInt8]) throws(StoreFailure) {
        var (after, at, place) = (rest + bytes, 0, end)
        var next = chunks
        // The last bytes wait, since the last chunk of a file is marked as such.
        while after.count - at > ChunkSealer.size {
            let sealed = try seal(after[at..<at + ChunkSealer.size], &next, isLast: false)
            try StoreFiles.write(sealed, descriptor, at: place, path)
            place += sealed.count
            at += ChunkSealer.size
        }
        after.removeFirst(at)
        try writeTail(after, behind: count + bytes.count - after.count)
        (rest, end, chunks) = (after, place, next)
        count += bytes.count
    }

    /// Writes the last chunk, and waits for the disk.
    /// - Parameter index: of all that was appended; the segment can be read without it.
    func finish(_ index: SegmentIndex) throws(StoreFailure) {
        guard !rest.isEmpty else { return }
        var next = chunks
        let sealed = try seal(rest[...], &next, isLast: true)
        try StoreFiles.write(sealed, descriptor, at: end, path)
        // What stood behind it after a failure.
        ftruncate(descriptor, off_t(end + sealed.count))
        fsync(descriptor)
        rest = []
        unlink(tailPath)
        guard index.isUseful, let sealedIndex = try? ChunkSealer.whole(index.bytes, key) else { return }
        try? Files.write(sealedIndex, to: indexPath, mode: 0o600)
    }

    /// The rest as a file of its own, under the same key of the file and a nonce of its own.
    private func writeTail(_ rest: [UInt8], behind count: Int) throws(StoreFailure) {
        var plain: [UInt8] = []
        for index in 0..<8 { plain.append(UInt8(truncatingIfNeeded: count >> (8 * index))) }
        plain += rest
        let sealed: [UInt8]
        do throws(AgeFailure) { sealed = try ChunkSealer.whole(plain, key) } catch {
            throw StoreFailure(.other, path: tailPath, error.message)
        }
        do throws(FileFailure) { try Files.write(sealed, to: tailPath, mode: 0o600) } catch {
            throw StoreFailure(StoreFiles.isFull(error.code) ? .diskFull : .inputOutput, path: tailPath, "\(error)")
        }
    }

    private func seal(
        _ bytes: ArraySlice<UInt8>, _ chunks: inout ChunkSealer, isLast: Bool
    ) throws(StoreFailure) -> [UInt8] {
        do throws(AgeFailure) { return try chunks.seal(bytes, isLast: isLast) } catch {
            throw StoreFailure(.other, path: path, error.message)
        }
    }
}
