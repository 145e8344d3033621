import COpenSSL
import Platform

/// The reason for an `errno`, in the system's words.
func systemReason(_ code: CInt) -> String { String(cString: strerror(code)) }

/// A key in pages of its own that are not swapped out and not part of core dumps; overwritten when it is released.
public final class SecretBytes: Sendable {
    public let count: Int
    /// Written by initializers only.
    nonisolated(unsafe) private let start: UnsafeMutableRawPointer
    private let size: Int

    /// Lets `fill` write the bytes.
    package init<Failure>(
        count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        self.count = count
        let page = Int(sysconf(CInt(_SC_PAGESIZE)))
        size = max(1, (count + page - 1) / page) * page
        let pages = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | SecretPages.anonymous, -1, 0)
        guard let pages, pages != MAP_FAILED else { fatalError("no memory for a key") }
        start = pages
        // Where the limit of locked memory is reached, the key stays usable.
        mlock(start, size)
        SecretPages.leaveOutOfDumps(start, size)
        try fill(UnsafeMutableRawBufferPointer(start: start, count: count))
    }

    /// A copy; the caller overwrites its own.
    package convenience init(_ bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    package static func random(_ count: Int) -> SecretBytes {
        SecretBytes(count: count) { room in
            guard RAND_bytes(room.baseAddress?.assumingMemoryBound(to: UInt8.self), CInt(count)) == 1 else {
                fatalError("the system gives no random bytes")
            }
        }
    }

    deinit {
        OPENSSL_cleanse(start, size)
        munlock(start, size)
        munmap(start, size)
    }

    package func withBytes<Result, Failure>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result { try body(UnsafeRawBufferPointer(start: start, count: count)) }
}

/// Overwrites bytes that held a secret.
package func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
    bytes = []
}
