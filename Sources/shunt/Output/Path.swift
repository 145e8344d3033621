import Platform

/// Paths as text.
enum Path {
    static var workingDirectory: String {
        guard let raw = getcwd(nil, 0) else { return "/" }
        defer { free(raw) }
        return String(cString: raw)
    }

    /// Absolute and without `.`, `..` and doubled slashes; links are left as they are.
    static func absolute(_ path: String, from base: String = workingDirectory) -> String {
        var parts: [Substring] = []
        for part in (path.hasPrefix("/") ? path : base + "/" + path).split(separator: "/") {
            switch part {
            case ".": continue
            case "..": _ = parts.popLast()
            default: parts.append(part)
            }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// Whether two files lie in one folder.
    static func isBeside(_ path: String, _ other: String) -> Bool { absolute(path + "/..") == absolute(other + "/..") }

    /// As short as somebody in the working directory would type it.
    static func short(_ path: String) -> String {
        let base = workingDirectory
        if path == base { return "." }
        let inside = base == "/" ? "/" : base + "/"
        return path.hasPrefix(inside) ? String(path.dropFirst(inside.count)) : path
    }

    /// For a command line that people copy: in quotes where a shell would see more than one plain word.
    static func quoted(_ path: String) -> String {
        let plain = path.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "/._-+@%:,~".utf8.contains($0) || $0 >= 0x80
            }
        }
        return plain && !path.isEmpty
            ? path : "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
