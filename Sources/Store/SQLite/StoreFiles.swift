import Platform

/// The store's file and those beside it, which only the user may read.
enum StoreFiles {
    /// Closes a file and gives up its lock first: a program that another thread is about to start has the descriptor,
    /// too, until it runs, and the lock would last as long.
    static func closeLocked(_ descriptor: CInt) {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Makes the file and its folder if they are missing; SQLite gives the file's permissions to those beside it.
    static func prepare(_ path: String) throws(StoreFailure) {
        try makeFolder(of: path)
        // Never opened if it exists: closing it would give up the locks that this process has on it.
        let created = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if created >= 0 {
            fchmod(created, 0o600)
            close(created)
        } else if errno == EEXIST {
            try check(path)
            for suffix in ["", "-wal", "-shm"] { chmod(path + suffix, 0o600) }
        } else {
            throw failure(path, "the file")
        }
    }

    static func makeFolder(of path: String) throws(StoreFailure) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return }
        guard mkdir(String(path[..<slash]), 0o700) == 0 || errno == EEXIST else { throw failure(path, "its folder") }
    }

    /// SQLite treats a file that is shorter than a page as empty, and overwrites it.
    static func check(_ path: String) throws(StoreFailure) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return }
        guard facts.st_mode & S_IFMT == S_IFREG, !(1..<512).contains(facts.st_size) else {
            throw StoreFailure(.notAStore, path: path, "not a traffic store; move the file away")
        }
    }

    /// Whether there is no room for a page; SQLite does not always say so.
    static func isDiskFull(_ path: String) -> Bool {
        var facts = statvfs()
        guard statvfs(path, &facts) == 0 else { return false }
        return UInt64(facts.f_bavail) * UInt64(facts.f_frsize) < 64 << 10
    }

    static func exists(_ path: String) -> Bool { SQLiteConnection.isMemory(path) || access(path, F_OK) == 0 }

    /// Writes all of it at a place of an open file.
    static func write(_ bytes: [UInt8], _ descriptor: CInt, at place: Int, _ path: String) throws(StoreFailure) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent, off_t(place + sent))
            }
            if count >= 0 { sent += count } else if errno != EINTR { throw failure(path) }
        }
    }

    /// What the last system call on a file has failed of.
    static func failure(_ path: String) -> StoreFailure {
        isFull(errno)
            ? StoreFailure(.diskFull, path: path, "the disk is full")
            : StoreFailure(.inputOutput, path: path, "cannot be written: \(systemReason())")
    }

    /// No room, or a limit of the system's that says the same.
    static func isFull(_ code: CInt) -> Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

    private static func failure(_ path: String, _ what: String) -> StoreFailure {
        StoreFailure(.cannotOpen, path: path, "\(what) cannot be made: \(String(cString: strerror(errno)))")
    }
}

/// A lock by which processes that write to one store know of each other; the system releases it when a process dies.
final class StoreLease {
    private let descriptor: CInt

    /// - Parameter whenAlone: called if there is no other writer, before another one can begin.
    init(_ path: String, whenAlone: () throws(StoreFailure) -> Void) throws(StoreFailure) {
        descriptor = open(path + "-lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StoreFailure(.cannotOpen, path: path, "its lock cannot be made: \(String(cString: strerror(errno)))")
        }
        fchmod(descriptor, 0o600)
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
            do {
                try whenAlone()
            } catch {
                StoreFiles.closeLocked(descriptor)
                throw error
            }
        }
        while flock(descriptor, LOCK_SH) != 0, errno == EINTR {}
    }

    /// Another process, or another part of this one, writes to the store at present.
    var isShared: Bool {
        let isAlone = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        // Also where it was not given: changing a lock gives up the one that was held.
        while flock(descriptor, LOCK_SH) != 0, errno == EINTR {}
        return !isAlone
    }

    deinit { StoreFiles.closeLocked(descriptor) }
}
