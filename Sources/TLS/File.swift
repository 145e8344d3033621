import Platform

/// The few files this module reads and writes.
enum File {
    /// Far above any chain or bundle of certificates.
    private static let limit = 4 << 20

    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    static func read(_ path: String) throws(TLSFailure) -> [UInt8] { try read(path, isSecret: false) }

    /// Reads a private key, refusing one that others could have read.
    static func readSecret(_ path: String) throws(TLSFailure) -> [UInt8] { try read(path, isSecret: true) }

    private static func read(_ path: String, isSecret: Bool) throws(TLSFailure) -> [UInt8] {
        // O_NONBLOCK: a FIFO in this place must not hang us.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system(lastError, "\(path) cannot be read") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(lastError, "\(path) cannot be read") }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= limit else {
            throw TLSFailure(.configuration, "\(path) is not a file of PEM text")
        }
        if isSecret && status.st_mode & 0o077 != 0 {
            throw TLSFailure(
                .configuration,
                "\(path) can be read by others (mode 0\(String(status.st_mode & 0o777, radix: 8))): chmod 600 \(path)")
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var count = 0
        while count < bytes.count {
            let n = bytes.withUnsafeMutableBytes { room in
                systemRead(descriptor, UnsafeMutableRawBufferPointer(rebasing: room[count...]))
            }
            if n == 0 { break }
            if n > 0 { count += n } else if lastError != EINTR { throw .system(lastError, "\(path) cannot be read") }
        }
        bytes.removeSubrange(count...)
        return bytes
    }

    /// Writes a new file that appears under its name only when it is complete, and never replaces one.
    static func write(_ body: String, to path: String, mode: mode_t) throws(TLSFailure) {
        let temporary = "\(path).\(getpid()).\(UInt32.random(in: 0 ... .max)).tmp"
        // The mode counts from the first moment; O_EXCL follows no link laid there.
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .system(lastError, "\(temporary) cannot be written") }
        defer { unlink(temporary) }
        let bytes = Array(body.utf8)
        var count = 0
        while count < bytes.count {
            let n = bytes.withUnsafeBytes { systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: $0[count...])) }
            if n >= 0 { count += n } else if lastError != EINTR { break }
        }
        // Past any umask, but never wider than what was asked for.
        let isWritten = count == bytes.count && fchmod(descriptor, mode) == 0 && fsync(descriptor) == 0
        let error = lastError
        close(descriptor)
        guard isWritten else { throw .system(error, "\(temporary) cannot be written") }
        // Unlike rename(2), link(2) fails where a file already is.
        guard link(temporary, path) == 0 else { throw .system(lastError, "\(path) cannot be made") }
    }

    /// Makes a directory and those above it, where they are missing.
    static func makeDirectory(_ path: String) throws(TLSFailure) {
        if mkdir(path, 0o755) == 0 || lastError == EEXIST { return }
        let error = lastError
        if error == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            try makeDirectory(String(path[..<slash]))
            if mkdir(path, 0o755) == 0 || lastError == EEXIST { return }
        }
        throw .system(error, "the directory \(path) cannot be made")
    }
}

/// Holds off other processes that want to make files in the same directory.
struct DirectoryLock {
    private let descriptor: CInt

    /// Waits for its turn.
    ///
    /// On a file system without locks it goes on: ``File/write(_:to:mode:)`` replaces nothing.
    init(_ directory: String) throws(TLSFailure) {
        descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(lastError, "the directory \(directory) cannot be opened") }
        while flock(descriptor, LOCK_EX) != 0 && lastError == EINTR {}
    }

    func release() { close(descriptor) }
}
