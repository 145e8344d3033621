#if os(Linux)
import Platform

enum SecretPages {
    static let anonymous = CInt(MAP_ANONYMOUS)

    /// A core dump leaves these pages out.
    static func leaveOutOfDumps(_ start: UnsafeMutableRawPointer, _ size: Int) {
        // MADV_DONTDUMP, which Glibc's module does not have.
        madvise(start, size, 16)
    }
}
#endif
