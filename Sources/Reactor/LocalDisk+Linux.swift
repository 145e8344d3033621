#if os(Linux)
import CSystem
import Platform

extension FileNotices {
    /// Whether the system tells of all changes there, as it does for disks of this machine.
    static func isToldOf(_ path: String) -> Bool {
        shunt_is_local_disk(path) == 1 || shunt_is_local_disk(Path.directory(of: path)) == 1
    }
}
#endif
