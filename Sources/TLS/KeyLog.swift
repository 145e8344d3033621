import COpenSSL
import Platform
import Synchronization

/// Writes the secrets of TLS connections into a file, in NSS's format, with which Wireshark decrypts them.
///
/// Of the whole process, as SSLKEYLOGFILE is: both sides of each connection, towards clients and towards origins.
public enum KeyLog {
    private static let descriptor = Atomic<CInt>(-1)

    /// Begins to write; contexts made before do not.
    ///
    /// The file is made for this user alone, and what is in it stays.
    public static func start(_ path: String) throws(TLSFailure) {
        // Without O_NONBLOCK, a FIFO that nothing reads would be waited for before it is refused.
        let opened = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard opened >= 0 else { throw .system(errno, "the key log \(path) cannot be opened") }
        var status = stat()
        guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            fchmod(opened, 0o600) == 0
        else {
            close(opened)
            throw TLSFailure(.configuration, "the key log \(path) is not a file of this user's own")
        }
        let old = descriptor.exchange(opened, ordering: .acquiringAndReleasing)
        if old >= 0 { close(old) }
    }

    static func follow(_ context: OpaquePointer) {
        guard descriptor.load(ordering: .acquiring) >= 0 else { return }
        SSL_CTX_set_keylog_callback(context) { _, line in
            guard let line else { return }
            KeyLog.append(line)
        }
    }

    /// One write per line, so that lines of several threads and processes do not mix.
    private static func append(_ line: UnsafePointer<CChar>) {
        var bytes = Array(UnsafeRawBufferPointer(start: line, count: strlen(line)))
        bytes.append(UInt8(ascii: "\n"))
        // A disk that is full must not end the connection.
        _ = bytes.withUnsafeBytes { write(descriptor.load(ordering: .acquiring), $0.baseAddress, $0.count) }
    }
}
