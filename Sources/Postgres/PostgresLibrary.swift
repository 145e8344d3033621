import CPostgres

/// libpq, loaded at its first use.
enum PostgresLibrary {
    static func load() throws(PostgresFailure) -> shunt_libpq {
        guard let library = shunt_load_libpq() else {
            throw PostgresFailure(
                .library,
                "PostgreSQL's library libpq cannot be loaded (\(String(cString: shunt_libpq_problem()))); install libpq5 "
                    + "(Debian) or libpq (Homebrew)")
        }
        return library.pointee
    }

    /// The options that have a value.
    static func values(_ options: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
        var found: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { found[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return found
    }
}
