import Platform

/// A file that could not be read or written, with the system's reason.
public struct FileFailure: Error, Sendable, CustomStringConvertible {
    public let path: String
    /// `read`, `written`, `made`: completes “cannot be”.
    public let deed: String
    public let code: CInt

    init(_ path: String, _ deed: String, code: CInt = errno) {
        self.path = path
        self.deed = deed
        self.code = code
    }

    public var description: String { "\(path) cannot be \(deed): \(String(cString: strerror(code)))" }
}

/// The small files that commands read and write, without Foundation: it would triple the time to start.
public enum SmallFile {
    private static let limit = 16 << 20

    public static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    public static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// What is above a path; both absolute.
    public static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    public static func read(_ path: String) throws(FileFailure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(path, "read") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while bytes.count <= limit {
            let count = chunk.withUnsafeMutableBytes { systemRead(descriptor, $0) }
            if count == 0 { return bytes }
            if count > 0 { bytes.append(contentsOf: chunk[..<count]) } else if errno != EINTR { break }
        }
        throw FileFailure(path, "read", code: bytes.count > limit ? EFBIG : errno)
    }

    /// Writes a file that appears under its name only when it is complete; replaces what was there.
    public static func write(_ bytes: [UInt8], to path: String, mode: UInt32) throws(FileFailure) {
        let temporary = "\(path).\(getpid()).\(UInt32.random(in: 0 ... .max)).tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(mode))
        guard descriptor >= 0 else { throw FileFailure(path, "written") }
        let isWritten = writeAll(bytes, to: descriptor)
        let error = errno
        close(descriptor)
        guard isWritten else {
            unlink(temporary)
            throw FileFailure(path, "written", code: error)
        }
        guard rename(temporary, path) == 0 else {
            let error = errno
            unlink(temporary)
            throw FileFailure(path, "written", code: error)
        }
    }

    /// Makes a directory and those above it, where they are missing.
    public static func makeDirectory(_ path: String, mode: UInt32 = 0o755) throws(FileFailure) {
        if mkdir(path, mode_t(mode)) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, path != "/" else { throw FileFailure(path, "made") }
        try makeDirectory(parent(of: path))
        guard mkdir(path, mode_t(mode)) == 0 || errno == EEXIST else { throw FileFailure(path, "made") }
    }

    /// What a directory holds, sorted; nothing where it cannot be read.
    public static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
                String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Writes everything to a descriptor that blocks; false with `errno` set when that fails.
    @discardableResult
    public static func writeAll(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: $0[sent...])) }
            if count > 0 { sent += count } else if errno != EINTR { return false }
        }
        return true
    }
}

// Under names that types with a `read` and `write` of their own can still reach.
private func systemRead(_ descriptor: CInt, _ room: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, room.baseAddress, room.count)
}

private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
