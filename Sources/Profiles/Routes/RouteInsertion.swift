public import JSON

/// Puts routes into the text of a profile, whose comments and spellings stay.
public enum RouteInsertion {
    /// The profile with the routes in front of those it has.
    /// - Parameter routes: each the text of one object.
    /// - Throws: where the text is no profile's.
    public static func inserting(_ routes: [String], into profile: [UInt8]) throws(JSONFailure) -> [UInt8] {
        try ProfileInsertion.inserting(
            routes.joined(separator: ",\n"), under: "routes", ("[", "]"), expected: "an array of routes", into: profile)
    }

    /// The line of a route of the profile that asks for the same, spelled the same.
    public static func line(ofMethod method: String, host: String?, path: String, in profile: [UInt8]) -> Int? {
        guard let value = try? JSONReader.read(profile) else { return nil }
        return value["routes"]?.array?.first { route in
            let methods = route["method"].map { $0.array?.compactMap(\.string) ?? [$0.string ?? ""] } ?? []
            return methods.contains(method) && route["host"]?.string == host && route["path"]?.string == path
        }?.position.line
    }
}
