import Admin

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What the files of a folder looked like, to see whether one was changed, added or removed.
///
/// Asked for twice a second, which works everywhere: inotify is silent on network mounts and in many containers.
struct FolderWatch: Sendable, Equatable {
    private struct Look: Sendable, Equatable {
        let inode: UInt64
        let size: Int64
        let seconds: Int64
        let nanoseconds: Int64
    }

    private var looks: [String: Look] = [:]

    init(_ directory: String) {
        for name in SmallFile.names(in: directory) where name.hasSuffix(".json") || name.hasSuffix(".json5") {
            var status = stat()
            guard stat(directory + "/" + name, &status) == 0 else { continue }
            #if canImport(Darwin)
            let time = status.st_mtimespec
            #else
            let time = status.st_mtim
            #endif
            looks[name] = Look(
                inode: UInt64(status.st_ino), size: Int64(status.st_size), seconds: Int64(time.tv_sec),
                nanoseconds: Int64(time.tv_nsec))
        }
    }
}
