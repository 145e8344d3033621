#if os(Linux) && !SHUNT_KQUEUE
import Platform
import Synchronization

extension FileNotices {
    /// The number of a watched folder.
    typealias Watched = CInt

    static func open() -> CInt { inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC)) }

    /// Watches a folder, or the one that a file is in, and the one of a link to it; false where neither is there.
    ///
    /// Writing counts when the file is closed: databases and logs beside it are written all the time. A recording grows
    /// while it is open, and is of use before its end.
    func add(_ path: String, _ watched: inout Set<Watched>) -> Bool {
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
            _ = addFolder(Path.directory(of: path), &watched)
        }
        return addFolder(path, &watched)
            || addFolder(Path.directory(of: Path.resolved(path) ?? path), growing: path.hasSuffix(".har"), &watched)
    }

    private func addFolder(_ path: String, growing: Bool = false, _ watched: inout Set<Watched>) -> Bool {
        let mask =
            IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF
            | IN_MOVE_SELF | (growing ? IN_MODIFY : 0)
        // What a folder is watched for once stays when it is named for another file.
        let number = inotify_add_watch(queue, path, UInt32(mask) | UInt32(IN_ONLYDIR) | UInt32(IN_MASK_ADD))
        if number >= 0 { watched.insert(number) }
        return number >= 0
    }

    func drain() {
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { room in
            while true {
                let count = read(queue, room.baseAddress, room.count)
                guard count > 0 else { return }
                var offset = 0
                while offset + MemoryLayout<inotify_event>.size <= count {
                    let event = room.load(fromByteOffset: offset, as: inotify_event.self)
                    // The folder was removed.
                    if event.mask & UInt32(IN_IGNORED) != 0 {
                        _ = state.withLock { $0.watched.remove(event.wd) }
                    }
                    offset += MemoryLayout<inotify_event>.size + Int(event.len)
                }
            }
        }
    }

    /// The system forgets what it watches with the queue.
    func close() {}
}
#endif
