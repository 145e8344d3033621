import Platform

/// Where a program keeps what belongs to one person and to no project.
public enum UserFolder {
    /// `$XDG_DATA_HOME/shunt`, else the system's usual place below the home folder; nil where there is none.
    public static var data: String? {
        // XDG Base Directory Specification: a relative path is to be ignored.
        if let base = variable("XDG_DATA_HOME") { return Path.absolute(base) + "/shunt" }
        return home.map { "\($0)/\(usualPlace)/shunt" }
    }

    /// Absolute; nil where there is none.
    public static var home: String? {
        if let home = variable("HOME") { return Path.absolute(home) }
        guard let entry = getpwuid(geteuid()), let folder = entry.pointee.pw_dir else { return nil }
        let home = String(cString: folder)
        return home.hasPrefix("/") ? home : nil
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
