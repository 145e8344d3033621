import Platform

extension Path {
    /// Whether two files lie in one folder.
    static func isBeside(_ path: String, _ other: String) -> Bool { absolute(path + "/..") == absolute(other + "/..") }

    /// As short as one would type it in the working directory.
    static func short(_ path: String) -> String {
        let base = workingDirectory
        if path == base { return "." }
        let inside = base == "/" ? "/" : base + "/"
        return path.hasPrefix(inside) ? String(path.dropFirst(inside.count)) : path
    }
}
