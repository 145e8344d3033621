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
