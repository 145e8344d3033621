/// Paths as text.
public enum Path {
    public static var workingDirectory: String {
        guard let raw = getcwd(nil, 0) else { return "/" }
        defer { free(raw) }
        return String(cString: raw)
    }

    /// Absolute and without `.`, `..` and doubled slashes; links are left as they are.
    public static func absolute(_ path: String, from base: String = workingDirectory) -> String {
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

    /// With all links followed; nil, and errno, where nothing is there.
    public static func resolved(_ path: String) -> String? {
        guard let raw = realpath(path, nil) else { return nil }
        defer { free(raw) }
        return String(cString: raw)
    }

    /// `Profiles` for `Profiles/local.json`, `.` for a bare name, `/` for itself.
    public static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// A path or another word for a command line: in quotes where a shell would see more than one plain word.
    public static func quoted(_ path: String) -> String {
        let plain = path.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "/._-+@%:,".utf8.contains($0) || $0 >= 0x80
            }
        }
        return plain && !path.isEmpty ? path : inQuotes(path)
    }

    /// One word of a shell, always in quotes; one within it stands between two quoted parts, and NUL, which no word can
    /// have, is left out.
    public static func inQuotes(_ text: String) -> String {
        var word = [UInt8(ascii: "'")]
        for byte in text.utf8 where byte != 0 {
            if byte == UInt8(ascii: "'") { word += "'\\''".utf8 } else { word.append(byte) }
        }
        return String(decoding: word + [UInt8(ascii: "'")], as: UTF8.self)
    }

    public static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }
}
