#if os(Linux)
import Platform

enum SecretPages {
    static let anonymous = CInt(MAP_ANONYMOUS)

    /// A core dump leaves these pages out.
    static func leaveOutOfDumps(_ start: UnsafeMutableRawPointer, _ size: Int) {
        madvise(start, size, CInt(MADV_DONTDUMP))
    }
}
#endif
