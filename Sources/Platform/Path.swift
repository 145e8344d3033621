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

    public static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }
}
