public import JSON
import Platform

/// Files of this machine as responses: a folder, or one file for every path.
public struct FileSettings: Sendable {
    /// As the profile spells it.
    public let path: String
    /// The same from the root of the file system.
    public let place: String
    /// What stands for a folder, by name, the first that is there.
    public let index: [String]
    /// What stands for a path that names no file, as client-side routers need it; relative to the folder.
    public let spa: String?
    /// Whether a folder without an index is listed.
    public let listing: Bool
    public let cacheControl: CacheControlRules
    /// Whether the route's origin responds to what is not there.
    public let fallsThrough: Bool
    /// Whether browsers that show a page of the route load it anew when a file changes.
    public let reload: Bool
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

    public var fingerprint: String {
        "\(place) \(index) \(spa ?? "-") \(listing) \(cacheControl) \(fallsThrough) \(reload)"
    }

    public func writeMembers(to writer: inout JSONWriter) {
        writer.object("files") {
            $0.member("path", place)
            $0.member("index", index)
            $0.member("spa", spa)
            $0.member("listing", listing)
            $0.member("fallthrough", fallsThrough)
            $0.member("reload", reload)
        }
    }
}

extension FileSettings: LocalSettingsDecoding {
    static var noun: String { "files" }

    static let routeKeys = [key, "index", "spa", "listing", "cacheControl", "fallthrough", "reload"]

    static var alternative: String { #"{ "required": ["files"], "not": { "required": ["origin"] } }"# }

    static var schema: String {
        #"""
        "files": {
          "description": "A folder whose files are the responses, or one file, relative to this profile.",
          "type": "string",
          "minLength": 1
        },
        "index": {
          "description": "The file that is sent for a folder, or several, of which the first existing one is sent; index.html without this key.",
          "anyOf": [{ "type": "string", "minLength": 1 }, { "type": "array", "items": { "type": "string", "minLength": 1 } }]
        },
        "spa": {
          "description": "The file that is sent for paths that name no file, for client-side routers: index.html.",
          "type": "string",
          "minLength": 1
        },
        "listing": {
          "description": "true lists folders that have no index; false without this key.",
          "type": "boolean"
        },
        "cacheControl": {
          "description": "The Cache-Control field: one value for all files, or by pattern (*.html, assets/*), of which the first that matches is used. no-cache without this key.",
          "anyOf": [{ "type": "string" }, { "type": "object", "additionalProperties": { "type": "string" } }]
        },
        "fallthrough": {
          "description": "true asks the route's origin for files that do not exist.",
          "type": "boolean"
        },
        "reload": {
          "description": "true reloads browsers that show a page of these files when a file changes.",
          "type": "boolean"
        }
        """#
    }

    static var originHint: String? { "\"fallthrough\": true asks the origin for what is missing" }

    /// The files come first, and the route's origin responds for the rest.
    static func precedesOrigin(_ route: Fields) -> Bool {
        route["files"] != nil && route["origin"] != nil && route["fallthrough"]?.bool == true
    }

    static func decode(_ route: Fields) -> FileSettings? {
        guard let value = route["files"] else { return nil }
        let fallsThrough = route.bool("fallthrough") ?? false
        if fallsThrough, route["origin"] == nil, let member = route.member("fallthrough") {
            route.reporter.report(
                member.keyPosition, "\"fallthrough\" where nothing follows the files",
                expected: "an \"origin\" on the same route, which responds to what is not among the files")
        }
        let (listing, reload) = (route.bool("listing") ?? false, route.bool("reload") ?? false)
        let (index, spa, rules) = (decodeIndex(route), decodeSPA(route), CacheControlRules.decode(route))
        guard let path = value.string, !path.isEmpty else {
            route.reporter.report(
                value.position, "\"files\" is \(value.string == nil ? value.kindName : "empty")",
                expected: "a folder or a file, relative to the profile, like \"../site\"")
            return nil
        }
        guard let place = place(path, value.position, route), let index, let rules else { return nil }
        return FileSettings(
            path: path, place: place, index: index, spa: spa, listing: listing, cacheControl: rules,
            fallsThrough: fallsThrough, reload: reload)
    }

    private static func place(_ path: String, _ position: JSONPosition, _ route: Fields) -> String? {
        let place = route.reporter.absolute(path)
        if Files.isDirectory(place) {
            guard let pattern = route["path"]?.string, !pattern.hasSuffix("*") else { return place }
            route.reporter.report(
                position, "\"files\" is a folder, and the route matches the path \(pattern) alone",
                expected: "a path that ends in `/*`, or one file",
                hint: "what follows the path's literal part is looked up in the folder")
            return nil
        }
        if Files.isReadableFile(place) { return place }
        route.reporter.report(
            position, "there are no files at \"\(path)\"", expected: "a folder or a readable file at \(place)",
            hint: "paths start at the profile's own directory")
        return nil
    }

    private static func decodeIndex(_ route: Fields) -> [String]? {
        guard let value = route["index"] else { return ["index.html"] }
        var names: [String] = []
        for item in value.array ?? [value] {
            guard let name = item.string, isRelative(name), !name.contains("/") else {
                route.reporter.report(
                    item.position, "\(spelling(item)) under \"index\"", expected: "a file's name like \"index.html\"")
                return nil
            }
            names.append(name)
        }
        return names
    }

    private static func decodeSPA(_ route: Fields) -> String? {
        guard let value = route["spa"] else { return nil }
        if let name = value.string, isRelative(name) { return name }
        route.reporter.report(
            value.position, "\"spa\" is \(spelling(value))",
            expected: "a file's path within the folder, like \"index.html\"")
        return nil
    }

    private static func spelling(_ value: JSONValue) -> String { value.string.map { "\"\($0)\"" } ?? value.kindName }

    /// Whether it stays in its folder.
    private static func isRelative(_ path: String) -> Bool {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        return segments.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." && !$0.utf8.contains(0) }
    }
}
