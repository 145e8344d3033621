import Platform

extension ProfileLibrary {
    /// The `Profiles` of a directory or, up to the root of its git work tree, of one above; nil when there is none.
    ///
    /// Outside a work tree only the directory itself counts: anyone may have put something into `/tmp`.
    public static func discover(from directory: String) -> String? {
        let start = Path.absolute(directory)
        var path = start
        var found: String?
        while true {
            let prefix = path == "/" ? "" : path
            if found == nil, Files.isDirectory(prefix + "/Profiles") { found = prefix + "/Profiles" }
            if path == start, found != nil { return found }
            if Files.exists(prefix + "/.git") { return found }
            if path == "/" { return nil }
            path = Path.directory(of: path)
        }
    }
}
