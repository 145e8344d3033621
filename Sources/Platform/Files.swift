/// Small files, read and written as a whole; Foundation would triple the time to start.
public enum Files {
    public static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Follows symbolic links.
    public static func isDirectory(_ path: String) -> Bool { type(path) == S_IFDIR }

    /// Follows symbolic links.
    public static func isRegular(_ path: String) -> Bool { type(path) == S_IFREG }

    public static func isReadableFile(_ path: String) -> Bool { isRegular(path) && access(path, R_OK) == 0 }

    /// Reads a whole file; one that is larger than `limit` fails with `EFBIG`.
    /// - Parameter check: looks at the open file before it is read, and may refuse it with an `errno`.
    public static func read(
        _ path: String, limit: Int = 16 << 20, check: (stat) -> CInt? = { _ in nil }
    ) throws(FileFailure) -> [UInt8] {
        // Without O_NONBLOCK a FIFO that nothing writes to would be waited for before it is checked.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileFailure(path, "read") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileFailure(path, "read") }
        if let code = check(status) { throw FileFailure(path, "read", code: code) }
        _ = fcntl(descriptor, F_SETFL, 0)
        var bytes: [UInt8] = []
        // Files of /proc have no size.
        var chunk = [UInt8](repeating: 0, count: min(limit + 1, max(Int(status.st_size) + 1, 16 << 10)))
        while bytes.count <= limit {
            let count = chunk.withUnsafeMutableBytes { systemRead(descriptor, $0) }
            if count == 0 { return bytes }
            if count > 0 { bytes.append(contentsOf: chunk[..<count]) } else if errno != EINTR { break }
        }
        throw FileFailure(path, "read", code: bytes.count > limit ? EFBIG : errno)
    }

    /// Writes a file that appears under its name only when it is complete.
    /// - Parameter replaces: whether a file that is there gives way. A file that may not be replaced fails with
    ///   `EEXIST` there; it has exactly these permissions, and is on the disk before it has its name.
    public static func write(
        _ bytes: [UInt8], to path: String, mode: UInt32, replaces: Bool = true
    ) throws(FileFailure) {
        if isStream(path) { return try writeIntoStream(bytes, path) }
        let temporary = "\(path).\(getpid()).\(UInt32.random(in: 0 ... .max)).tmp"
        // The mode counts from the first moment; O_EXCL follows no link laid there.
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(mode))
        guard descriptor >= 0 else { throw FileFailure(path, "written") }
        let isWritten =
            writeAll(bytes, to: descriptor)
            && (replaces || fchmod(descriptor, mode_t(mode)) == 0 && fsync(descriptor) == 0)
        let error = errno
        close(descriptor)
        // Unlike rename(2), link(2) fails where a file already is.
        let isInPlace = isWritten && (replaces ? rename(temporary, path) : link(temporary, path)) == 0
        let code = isWritten ? errno : error
        if !isInPlace || !replaces { unlink(temporary) }
        guard isInPlace else { throw FileFailure(path, "written", code: code) }
    }

    /// Whether it is a device, a pipe or a descriptor such as `/dev/stdout`, which no file may replace.
    public static func isStream(_ path: String) -> Bool {
        // Behind `/dev/stdout` and `/dev/fd/3` may be a regular file, which is to be appended to. /dev/shm is a disk.
        if path.hasPrefix("/dev/") && !path.hasPrefix("/dev/shm/") || path.hasPrefix("/proc/") { return true }
        var status = stat()
        guard lstat(path, &status) == 0 else { return false }
        return [S_IFIFO, S_IFCHR, S_IFBLK, S_IFSOCK].contains(status.st_mode & S_IFMT)
    }

    private static func writeIntoStream(_ bytes: [UInt8], _ path: String) throws(FileFailure) {
        let descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(path, "written") }
        defer { close(descriptor) }
        guard writeAll(bytes, to: descriptor) else { throw FileFailure(path, "written") }
    }

    /// Makes a directory and those above it, where they are missing.
    public static func makeDirectory(_ path: String, mode: UInt32 = 0o755) throws(FileFailure) {
        if mkdir(path, mode_t(mode)) == 0 || errno == EEXIST { return }
        let failure = FileFailure(path, "made")
        let parent = Path.directory(of: path)
        guard failure.isMissing, parent != path else { throw failure }
        try makeDirectory(parent)
        guard mkdir(path, mode_t(mode)) == 0 || errno == EEXIST else { throw FileFailure(path, "made") }
    }

    /// Makes a directory of its own in the system's temporary one, for this user alone.
    public static func makeTemporaryDirectory(named prefix: String) throws(FileFailure) -> String {
        let variable = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        let base = variable.isEmpty ? "/tmp" : variable
        let path = Path.absolute("\(base)/\(prefix)-\(getpid())-\(UInt32.random(in: 0 ... .max))")
        guard mkdir(path, 0o700) == 0 else { throw FileFailure(path, "made") }
        return path
    }

    /// Removes a file, or a directory with all that is in it; links are not followed.
    public static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        if status.st_mode & S_IFMT == S_IFDIR {
            for name in (try? names(in: path)) ?? [] { remove(path + "/" + name) }
            rmdir(path)
        } else {
            unlink(path)
        }
    }

    /// The names in a directory, sorted, without `.` and `..`.
    public static func names(in directory: String) throws(FileFailure) -> [String] {
        guard let stream = opendir(directory) else { throw FileFailure(directory, "read") }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            // The field is a tuple of 256 or 1024 characters, of which only the name is there.
            let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
            let name = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
            names.append(String(cString: name))
        }
        return names.filter { $0 != "." && $0 != ".." }.sorted()
    }

    /// Writes everything to a descriptor that blocks; false with `errno` set when that fails.
    @discardableResult
    public static func writeAll(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: $0[sent...])) }
            if count >= 0 { sent += count } else if errno != EINTR { return false }
        }
        return true
    }

    private static func type(_ path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}

// Under names that types with a `read` and `write` of their own can still reach.
private func systemRead(_ descriptor: CInt, _ room: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, room.baseAddress, room.count)
}

private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
