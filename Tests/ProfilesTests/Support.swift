import Profiles

/// Loads profiles from text; names are file names in `Profiles/`.
///
/// - Parameter set: laid over the first one.
func load(_ files: (String, String)..., set: [String] = [], now: Int64? = nil) throws -> ProfileLibrary {
    let name = String(files[0].0.prefix { $0 != "." })
    return try ProfileLibrary.load(
        files: files.map { (path: "Profiles/\($0.0)", bytes: Array($0.1.utf8)) },
        settings: set.isEmpty ? nil : RunSettings(profile: name, texts: set), now: now)
}

/// A profile of kind `local` with these routes, each a JSON5 object without its response.
func profile(routes: [String], rest: String = "") throws -> Profile {
    let lines = routes.map { "{ \($0)\($0.isEmpty ? "" : ",") mock: {} }" }.joined(separator: ",\n")
    let library = try load(("local.json", "{ kind: 'local', routes: [\n\(lines)\n] \(rest) }"))
    guard let profile = library["local"] else { throw Missing() }
    return profile
}

struct Missing: Error {}

/// The rendered problems of one profile, empty when it loads.
func problems(_ files: (String, String)..., set: [String] = [], now: Int64? = nil) -> [String] {
    do throws(ProfileProblems) {
        let name = String(files[0].0.prefix { $0 != "." })
        _ = try ProfileLibrary.load(
            files: files.map { (path: "Profiles/\($0.0)", bytes: Array($0.1.utf8)) },
            settings: set.isEmpty ? nil : RunSettings(profile: name, texts: set), now: now)
        return []
    } catch {
        return error.all.map(\.description)
    }
}

extension Profile {
    /// The label of the route that responds, or nil.
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
