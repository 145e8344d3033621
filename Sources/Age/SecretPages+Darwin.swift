#if canImport(Darwin)
import Platform

enum SecretPages {
    static let anonymous = CInt(MAP_ANON)

    /// Darwin has no such advice; ``CoreDumps`` switches dumps off as a whole.
    static func leaveOutOfDumps(_ start: UnsafeMutableRawPointer, _ size: Int) {}
}
#endif
