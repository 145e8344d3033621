import Platform

/// A hosts file while it is read and changed, so that no other command changes it meanwhile.
///
/// It is written in place: its owner, its mode and its links stay, and in a container it is a mount that no rename
/// replaces.
struct OpenHostsFile: ~Copyable {
    private static let maxSize = 8 << 20

    let path: String
    private let descriptor: CInt
    let bytes: [UInt8]

    init(_ path: String, forWriting: Bool) throws(FileFailure) {
        self.path = path
        descriptor = open(path, (forWriting ? O_RDWR : O_RDONLY) | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(path, forWriting ? "written" : "read") }
        if forWriting { flock(descriptor, LOCK_EX) }
        do throws(FileFailure) { bytes = try Files.read(path, limit: Self.maxSize) } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    borrowing func replace(with new: [UInt8]) throws(FileFailure) {
        guard lseek(descriptor, 0, SEEK_SET) == 0, Files.writeAll(new, to: descriptor),
            ftruncate(descriptor, off_t(new.count)) == 0, fsync(descriptor) == 0
        else { throw FileFailure(path, "written") }
    }
}
