#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Files and folders small enough to be read at once.
enum SmallFile {
    /// The whole content; an error is the system's reason.
    static func read(_ path: String) -> Result<[UInt8], Reason> {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return .failure(.last) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = chunk.withUnsafeMutableBytes { systemRead(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes += chunk.prefix(count)
                guard bytes.count <= 16 << 20 else { return .failure(Reason(text: "it is larger than 16 MiB")) }
            } else if count == 0 {
                return .success(bytes)
            } else if errno != EINTR {
                return .failure(.last)
            }
        }
    }

    struct Reason: Error {
        let text: String
        static var last: Reason { Reason(text: String(cString: strerror(errno))) }
    }

    /// Names in a folder, sorted; nil where it cannot be listed.
    static func names(in folder: String) -> [String]? {
        guard let stream = opendir(folder) else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.sorted()
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    static func isFolder(_ path: String) -> Bool {
        guard let stream = opendir(path) else { return false }
        closedir(stream)
        return true
    }

    /// Why a file cannot be read, or nil.
    static func unreadable(_ path: String) -> String? {
        if isFolder(path) { return "it is a folder" }
        return access(path, R_OK) == 0 ? nil : Reason.last.text
    }

    /// A path without `.` and without `..` behind names.
    static func tidy(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == "..", let last = parts.last, last != ".." { parts.removeLast() } else { parts.append(part) }
        }
        return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    }
}

private func systemRead(_ descriptor: CInt, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    #if canImport(Glibc)
    Glibc.read(descriptor, buffer, count)
    #else
    Darwin.read(descriptor, buffer, count)
    #endif
}
