#if canImport(Darwin) || SHUNT_KQUEUE
import Platform
import Synchronization

#if SHUNT_KQUEUE
import CKqueue
#endif

extension FileNotices {
    /// An open file or folder, which is told of until it is closed.
    struct Watched: Hashable {
        let descriptor: CInt
        let device: dev_t
        let inode: ino_t
    }

    static func open() -> CInt {
        let queue = kqueue()
        if queue >= 0 { _ = fcntl(queue, F_SETFD, FD_CLOEXEC) }
        return queue
    }

    /// Watches a folder or a file and the folder that it is in; false where neither is there.
    ///
    /// A folder tells of entries that come and go, and not of what is written to its files: they are watched by
    /// themselves.
    func add(_ path: String, _ watched: inout Set<Watched>) -> Bool {
        let isThere = addOne(path, &watched)
        return addOne(Path.directory(of: path), &watched) || isThere
    }

    private func addOne(_ path: String, _ watched: inout Set<Watched>) -> Bool {
        let descriptor = Platform.open(path, O_EVTONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        var status = stat()
        guard fstat(descriptor, &status) == 0,
            !watched.contains(where: { $0.device == status.st_dev && $0.inode == status.st_ino })
        else {
            SystemCall.close(descriptor)
            return true
        }
        var change = kevent()
        change.ident = UInt(descriptor)
        change.filter = Int16(EVFILT_VNODE)
        change.flags = UInt16(EV_ADD | EV_CLEAR)
        change.fflags = UInt32(NOTE_WRITE | NOTE_EXTEND | NOTE_ATTRIB | NOTE_DELETE | NOTE_RENAME)
        guard kevent(queue, &change, 1, nil, 0, nil) == 0 else {
            SystemCall.close(descriptor)
            return false
        }
        watched.insert(Watched(descriptor: descriptor, device: status.st_dev, inode: status.st_ino))
        return true
    }

    func drain() {
        var events = (0..<64).map { _ in kevent() }
        var now = timespec()
        while true {
            let count = kevent(queue, nil, 0, &events, CInt(events.count), &now)
            guard count > 0 else { return }
            for event in events.prefix(Int(count)) where event.fflags & UInt32(NOTE_DELETE | NOTE_RENAME) != 0 {
                // Another file may have its path now.
                state.withLock { state in
                    guard let old = state.watched.first(where: { $0.descriptor == CInt(event.ident) }) else { return }
                    state.watched.remove(old)
                    SystemCall.close(old.descriptor)
                }
            }
        }
    }

    func close() {
        let watched = state.withLock { state in
            defer { state.watched = [] }
            return state.watched
        }
        for file in watched { SystemCall.close(file.descriptor) }
    }
}
#endif
