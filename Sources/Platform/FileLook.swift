/// What a file looked like, to see whether it has changed.
package struct FileLook: Equatable, Sendable {
    private let inode: UInt64
    package let size: Int64
    /// Nanoseconds since 1970, as the file says; it may be any number.
    private let modified: Int64
    /// The same by the system's clock.
    private let changed: Int64

    package init(_ status: stat) {
        (inode, size) = (UInt64(status.st_ino), Int64(status.st_size))
        (modified, changed) = (status.modified, status.changed)
    }

    /// One `stat`; nil for a file that is not there.
    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Whether a later change is sure to look different: the system's clock of files ticks every few milliseconds.
    ///
    /// - Parameter now: microseconds since 1970.
    package func isSettled(now: Int64) -> Bool { now - changed / 1000 > 100_000 }
}
