import Profiles

/// Loads profiles from text; names are file names in `Profiles/`.
func load(_ files: (String, String)...) throws -> ProfileLibrary {
    try ProfileLibrary.load(files: files.map { (path: "Profiles/\($0.0)", bytes: Array($0.1.utf8)) })
}

/// A profile of kind `local` with these routes, each a JSON5 object without its answer.
func profile(routes: [String], rest: String = "") throws -> Profile {
    let lines = routes.map { "{ \($0)\($0.isEmpty ? "" : ",") mock: {} }" }.joined(separator: ",\n")
    let library = try load(("local.json", "{ kind: 'local', routes: [\n\(lines)\n] \(rest) }"))
    guard let profile = library["local"] else { throw Missing() }
    return profile
}

struct Missing: Error {}

/// The rendered problems of one profile, empty when it loads.
func problems(_ files: (String, String)...) -> [String] {
    do throws(ProfileProblems) {
        _ = try ProfileLibrary.load(files: files.map { (path: "Profiles/\($0.0)", bytes: Array($0.1.utf8)) })
        return []
    } catch {
        return error.all.map(\.description)
    }
}

extension Profile {
    /// The label of the route that answers, or nil.
    func label(
        _ host: String, _ path: String = "/", method: String = "GET", port: UInt16? = 443,
        headers: [(String, String)] = []
    ) -> String? {
        match(
            host: ContiguousArray(host.utf8).span, port: port, path: ContiguousArray(path.utf8).span,
            method: ContiguousArray(method.utf8).span
        ) { name, value in
            headers.contains { Array($0.0.lowercased().utf8) == name && (value == nil || Array($0.1.utf8) == value) }
        }.map { routes[$0].label }
    }
}
