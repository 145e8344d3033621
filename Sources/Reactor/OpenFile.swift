import Platform

/// A file that is open for reading, closed when the last one lets go of it.
public final class OpenFile: Sendable {
    /// What a state of a file is told by.
    public struct State: Equatable, Sendable {
        public let device: UInt64
        public let inode: UInt64
        public let size: UInt64
        /// Nanoseconds since 1970.
        public let modified: Int64

        init(_ status: borrowing stat) {
            device = UInt64(truncatingIfNeeded: status.st_dev)
            inode = UInt64(status.st_ino)
            size = UInt64(max(status.st_size, 0))
            modified = status.modified
        }
    }

    let descriptor: CInt
    /// A folder, which has entries and no bytes.
    public let isFolder: Bool
    /// The path that files are looked up under is this file itself.
    public let isRoot: Bool
    /// As it was when the file was opened.
    public let state: State

    /// Takes the descriptor over; nil for what is neither a regular file nor a folder, and of the ``DescriptorReserve``.
    init?(_ descriptor: CInt, isRoot: Bool = false) {
        var status = stat()
        guard DescriptorReserve.spares(descriptor), fstat(descriptor, &status) == 0 else {
            SystemCall.close(descriptor)
            return nil
        }
        let type = status.st_mode & S_IFMT
        guard type == S_IFREG || type == S_IFDIR else {
            SystemCall.close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        self.isRoot = isRoot
        isFolder = type == S_IFDIR
        state = State(status)
    }

    deinit { SystemCall.close(descriptor) }

    /// Whether size and time are what they were.
    public var isUnchanged: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && State(status) == state
    }

    /// Reads from a place; less than there is room for means that the file ends there, or cannot be read.
    public func read(into room: UnsafeMutableRawBufferPointer, from offset: UInt64) -> Int {
        var count = 0
        while count < room.count {
            let got = pread(
                descriptor, room.baseAddress.map { $0 + count }, room.count - count, off_t(offset) + off_t(count))
            if got > 0 { count += got } else if got == 0 || errno != EINTR { break }
        }
        return count
    }

    /// The names in a folder, sorted, without those that begin with a dot; folders end in `/`.
    ///
    /// - Parameter limit: how many at most; which ones those are of a larger folder, the system decides.
    public func entries(limit: Int = .max) -> [String] {
        let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { return [] }
        guard let stream = fdopendir(copy) else {
            SystemCall.close(copy)
            return []
        }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < limit, let entry = readdir(stream) {
            // The field is a tuple of 256 or 1024 characters, of which only the name is there.
            let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
            let name = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
            guard name.pointee != 0x2E else { continue }
            var status = stat()
            guard fstatat(copy, name, &status, 0) == 0 else { continue }
            let type = status.st_mode & S_IFMT
            guard type == S_IFREG || type == S_IFDIR else { continue }
            names.append(String(cString: name) + (type == S_IFDIR ? "/" : ""))
        }
        return names.sorted()
    }
}
