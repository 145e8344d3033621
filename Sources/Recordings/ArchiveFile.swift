import Platform

/// A file that is open for reading; its parts are read when they are needed.
final class ArchiveFile: Sendable {
    let path: String
    /// By which a later state of the file is told from this one.
    let state: String
    private let descriptor: CInt

    init(_ path: String) throws(RecordingFailure) {
        // Without O_NONBLOCK a FIFO that nothing writes to would be waited for.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let failure = FileFailure(path, "read")
            throw RecordingFailure("cannot be read: \(failure.reason)", isMissing: failure.isMissing)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw RecordingFailure("is no regular file")
        }
        self.path = path
        self.descriptor = descriptor
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        state = "\(status.st_ino) \(status.st_size) \(time.tv_sec).\(time.tv_nsec)"
    }

    deinit { close(descriptor) }

    /// Reads from a place; less than there is room for means that the file ends there, or cannot be read.
    func read(into room: UnsafeMutableRawBufferPointer, from offset: UInt64) -> Int {
        var count = 0
        while count < room.count {
            let got = pread(
                descriptor, room.baseAddress.map { $0 + count }, room.count - count, off_t(offset) + off_t(count))
            if got > 0 { count += got } else if got == 0 || errno != EINTR { break }
        }
        return count
    }

    /// All bytes of a range; nil where the file no longer has them.
    func read(_ range: Range<UInt64>) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { room, count in
            count = read(into: UnsafeMutableRawBufferPointer(room), from: range.lowerBound)
        }
        return bytes.count == range.count ? bytes : nil
    }

    /// Line and column of a byte.
    func place(of offset: UInt64) -> (line: Int, column: Int) {
        var (line, column) = (1, 1)
        var at: UInt64 = 0
        while at < offset, let piece = read(at..<min(offset, at + 1 << 20)) {
            for byte in piece {
                if byte == 0x0A { (line, column) = (line + 1, 1) } else if byte & 0xC0 != 0x80 { column += 1 }
            }
            at += UInt64(piece.count)
        }
        return (line, column)
    }
}
