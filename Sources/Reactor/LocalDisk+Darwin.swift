#if canImport(Darwin)
import Platform

extension FileNotices {
    /// Whether the system tells of all changes there, as it does for disks of this machine.
    static func isToldOf(_ path: String) -> Bool {
        var status = statfs()
        guard statfs(path, &status) == 0 || statfs(Path.directory(of: path), &status) == 0 else { return false }
        return status.f_flags & UInt32(MNT_LOCAL) != 0
    }
}
#endif
