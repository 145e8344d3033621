import JSON
import Profiles

/// A request that no route matches, for a page that names the nearest ones.
package struct NearRoutes: Sendable {
    /// Routes of a profile that are sorted at once, when the first request of this kind comes.
    private static let manyRoutes = 1000

    let profile: Profile
    let url: String
    let method: String
    let headers: [(name: String, value: String)]
    let json: JSONValue?
    /// Of the profile's scenarios.
    let states: [String: String]
    /// Indices of routes that are off.
    let off: Set<Int>
    /// The request takes long to be compared with routes.
    let isLong: Bool

    /// For ``RequestBody/perform(size:_:)``.
    var size: Int { isLong || profile.routes.count > Self.manyRoutes ? .max : 0 }

    /// Empty where there are no routes.
    var text: String {
        let misses = profile.nearest(
            url: url, method: method, headers: headers, json: json, states: states, off: off)
        return misses.isEmpty
            ? "" : "\nNearly matched:\n" + misses.map { "  \($0.route.label): \($0.reason)\n" }.joined()
    }
}
