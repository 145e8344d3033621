public import JSON
import Platform

/// Files of this machine as responses: a folder, or one file for every path.
public struct FileSettings: Sendable {
    /// As the profile spells it.
    public internal(set) var path = ""
    /// The same from the root of the file system.
    public internal(set) var place = ""
    /// What stands for a folder, by name, the first that is there.
    public internal(set) var index = ["index.html"]
    /// What stands for a path that names no file, as client-side routers need it; relative to the folder.
    public internal(set) var spa: String?
    /// Whether a folder without an index is listed.
    public internal(set) var listing = false
    public internal(set) var cacheControl = CacheControlRules()
    /// Whether the route's origin responds to what is not there.
    public internal(set) var fallsThrough = false
    /// Whether browsers that show a page of the route load it anew when a file changes.
    public internal(set) var reload = false
}

extension FileSettings: LocalSettings {
    public static var key: String { "files" }

    public var summary: String {
        var text = "files: \(place)"
        var notes: [String] = []
        if let spa { notes.append("\(spa) for unknown paths") }
        if listing { notes.append("folders are listed") }
        if fallsThrough { notes.append("the origin for what is not there") }
        if reload { notes.append("browsers reload") }
        if !notes.isEmpty { text += " (\(notes.joined(separator: ", ")))" }
        return text
    }

    public func writeMembers(to writer: inout JSONWriter) {
        writer.object(
            "files",
            [
                "path": place, "index": index, "spa": spa, "listing": listing, "fallthrough": fallsThrough,
                "reload": reload,
            ])
    }
}

extension FileSettings: LocalSettingsDecoding {
    static var noun: String { "files" }

    static var alternative: String { #"{ "required": ["files"], "not": { "required": ["origin"] } }"# }

    static let routeKeys: [Key<DecodedRoute>] = keys.all.map { $0.declared(beside: .only(key)) }

    static var originHint: String? { "\"fallthrough\": true asks the origin for what is missing" }

    /// The files come first, and the route's origin responds for the rest.
    static func precedesOrigin(_ route: Fields) -> Bool {
        route["files"] != nil && route["origin"] != nil && route["fallthrough"]?.bool == true
    }

    static func decode(_ route: Fields) -> FileSettings? {
        var settings = FileSettings()
        keys.read(route, into: &settings)
        if settings.fallsThrough, route["origin"] == nil, let member = route.member("fallthrough") {
            route.report(
                member, "\"fallthrough\" where nothing follows the files",
                expected: "an \"origin\" on the same route, which responds to what is not among the files")
        }
        guard let value = route[key], !settings.path.isEmpty, let place = place(settings.path, value.position, route)
        else { return nil }
        settings.place = place
        return settings
    }

    private static func place(_ path: String, _ position: JSONPosition, _ route: Fields) -> String? {
        let place = route.reporter.absolute(path)
        if Files.isDirectory(place) {
            guard let pattern = route["path"]?.string, !pattern.hasSuffix("*") else { return place }
            return route.refuse(
                position, "\"files\" is a folder, and the route matches the path \(pattern) alone",
                expected: "a path that ends in `/*`, or one file",
                hint: "what follows the path's literal part is looked up in the folder")
        }
        if Files.isReadableFile(place) { return place }
        return route.refuse(
            position, "there are no files at \"\(path)\"", expected: "a folder or a readable file at \(place)",
            hint: Reporter.ofPaths)
    }

    static func decodeIndex(_ value: JSONValue, _ route: Fields) -> [String] {
        (value.array ?? [value]).compactMap { item in
            if let name = item.string, isRelative(name), !name.contains("/") { return name }
            return route.refuse(
                item, "\(spelling(item)) under \"index\"", expected: "a file's name like \"index.html\"")
        }
    }

    /// Whether it stays in its folder.
    static func isRelative(_ path: String) -> Bool {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        return segments.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." && !$0.utf8.contains(0) }
    }
}
