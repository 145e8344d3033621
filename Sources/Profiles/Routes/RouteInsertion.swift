public import JSON

/// Puts routes into the text of a profile, whose comments and spellings stay.
public enum RouteInsertion {
    /// The profile with the routes in front of those it has.
    /// - Parameter routes: each the text of one object.
    /// - Throws: where the text is no profile's.
    public static func inserting(_ routes: [String], into profile: [UInt8]) throws(JSONFailure) -> [UInt8] {
        let value = try JSONReader.read(profile)
        guard value.object != nil else {
            throw JSONFailure(position: value.position, message: "a profile is an object", expected: "`{`")
        }
        let text = routes.joined(separator: ",\n")
        let place: Int
        let inserted: String
        if let list = value["routes"] {
            guard let items = list.array else {
                throw JSONFailure(
                    position: list.position, message: "\"routes\" is \(list.kindName)", expected: "an array of routes")
            }
            place = list.position.offset + 1
            inserted = "\n" + text + (items.isEmpty ? "\n" : ",\n")
        } else {
            place = value.position.offset + 1
            inserted = "\n\"routes\": [\n" + text + "\n]" + (value.object?.isEmpty == true ? "\n" : ",\n")
        }
        return try JSONFormatter.format(Array(profile[..<place]) + Array(inserted.utf8) + Array(profile[place...]))
    }

    /// The line of a route of the profile that asks for the same, spelled the same.
    public static func line(
        ofMethod method: String, host: String?, path: String, in profile: [UInt8]
    ) -> Int? {
        guard let value = try? JSONReader.read(profile) else { return nil }
        return value["routes"]?.array?.first { route in
            let methods = route["method"].map { $0.array?.compactMap(\.string) ?? [$0.string ?? ""] } ?? []
            return methods.contains(method) && route["host"]?.string == host && route["path"]?.string == path
        }?.position.line
    }
}
