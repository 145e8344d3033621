private import Platform

/// The few things profiles need of the file system; Foundation would double the start-up time.
enum Files {
    /// Why the system refused, in its words.
    struct Failure: Error {
        let reason: String
        let isMissing: Bool

        init(code: CInt) {
            reason = String(cString: strerror(code))
            isMissing = code == ENOENT
        }
    }

    /// The whole file, or its first `limit` bytes.
    static func read(_ path: String, limit: Int) throws(Failure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while bytes.count < limit {
            let size = min(chunk.count, limit - bytes.count)
            let count = system {
                chunk.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, size, off_t(bytes.count)) }
            }
            if count < 0 { throw Failure(code: errno) }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return bytes
    }

    /// The names in a directory, sorted, without `.` and `..`.
    static func names(in directory: String) throws(Failure) -> [String] {
        guard let stream = opendir(directory) else { throw Failure(code: errno) }
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

    static func isReadableFile(_ path: String) -> Bool {
        isRegular(path) && access(path, R_OK) == 0
    }

    static func isRegular(_ path: String) -> Bool { type(path) == S_IFREG }

    static func isDirectory(_ path: String) -> Bool { type(path) == S_IFDIR }

    static func exists(_ path: String) -> Bool { type(path) != nil }

    /// Against the working directory, `.` and `..` taken out by spelling alone.
    static func absolute(_ path: String) -> String {
        let start = path.hasPrefix("/") ? "" : workingDirectory + "/"
        var parts: [Substring] = []
        for part in (start + path).split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// `Profiles` for `Profiles/local.json`, `.` for a bare name.
    static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }

    private static var workingDirectory: String {
        guard let path = getcwd(nil, 0) else { return "" }
        defer { free(path) }
        return String(cString: path)
    }

    private static func type(_ path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    private static func system(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}
