import Platform

/// Files of certificates and keys.
enum SecretFile {
    /// Far above any chain or bundle of certificates.
    private static let limit = 4 << 20

    /// Reads PEM text.
    static func read(_ path: String) throws(TLSFailure) -> [UInt8] {
        try read(path) { $0.st_mode & S_IFMT == S_IFREG ? nil : EFBIG }
    }

    /// Reads a private key, refusing one that others could have read.
    static func readKey(_ path: String) throws(TLSFailure) -> [UInt8] {
        var mode: mode_t = 0
        let bytes = try read(path) { status in
            mode = status.st_mode
            return mode & S_IFMT == S_IFREG ? nil : EFBIG
        }
        guard mode & 0o077 == 0 else {
            throw TLSFailure(
                .configuration,
                "\(path) can be read by others (mode 0\(String(mode & 0o777, radix: 8))): chmod 600 \(path)")
        }
        return bytes
    }

    /// Writes a new file, and never replaces one.
    static func write(_ text: String, to path: String, mode: UInt32) throws(TLSFailure) {
        do throws(FileFailure) {
            try Files.write(Array(text.utf8), to: path, mode: mode, replaces: false)
        } catch {
            throw .system(error.code, "\(path) cannot be \(error.deed)")
        }
    }

    static func makeDirectory(_ path: String) throws(TLSFailure) {
        do throws(FileFailure) { try Files.makeDirectory(path) } catch {
            throw .system(error.code, "the directory \(path) cannot be made")
        }
    }

    private static func read(_ path: String, check: (stat) -> CInt?) throws(TLSFailure) -> [UInt8] {
        do throws(FileFailure) { return try Files.read(path, limit: limit, check: check) } catch {
            guard error.code != EFBIG else { throw TLSFailure(.configuration, "\(path) is not a file of PEM text") }
            throw .system(error.code, "\(path) cannot be read")
        }
    }
}

/// Holds off other processes that want to make files in the same directory.
struct DirectoryLock {
    private let descriptor: CInt

    /// Waits for its turn.
    ///
    /// On a file system without locks it goes on: ``SecretFile/write(_:to:mode:)`` replaces nothing.
    init(_ directory: String) throws(TLSFailure) {
        descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(errno, "the directory \(directory) cannot be opened") }
        while flock(descriptor, LOCK_EX) != 0 && errno == EINTR {}
    }

    func release() { close(descriptor) }
}
