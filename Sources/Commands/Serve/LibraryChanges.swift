import Profiles

/// The differences between two readings of a folder, for the log.
enum LibraryChanges {
    /// Above this a count says more than names.
    private static let limit = 3

    /// One text per profile that came, went or changed.
    static func list(from old: ProfileLibrary, to new: ProfileLibrary) -> [String] {
        var changes: [String] = []
        for profile in old.profiles where new[profile.name] == nil { changes.append("profile \(profile.name) is gone") }
        for profile in new.profiles {
            guard let before = old[profile.name] else {
                changes.append("profile \(profile.name) is new")
                continue
            }
            let details = list(from: before, to: profile)
            if !details.isEmpty { changes.append("profile \(profile.name): " + details.joined(separator: ", ")) }
        }
        let (past, present) = (Set(old.keptProduction), Set(new.keptProduction))
        changes += present.subtracting(past).sorted()
        if !past.isEmpty, present.isEmpty { changes.append("only what the files call production is production") }
        let known = schemas(of: old)
        changes += schemas(of: new).filter { known[$0.key] != $0.value }.keys.sorted().map {
            "\($0) describes its calls anew"
        }
        let (before, after) = (old.overrides.map(\.file), new.overrides.map(\.file))
        changes += after.filter { !before.contains($0) }.map { "with \($0)" }
        changes += before.filter { !after.contains($0) }.map { "without \($0)" }
        return changes
    }

    private static func list(from old: Profile, to new: Profile) -> [String] {
        var details: [String] = []
        if old.kind != new.kind { details.append("kind \(new.kind.rawValue)") }
        if old.extends != new.extends { details.append(new.extends.map { "extends \($0)" } ?? "extends nothing") }
        let labels = changedLabels(old, new)
        let (before, after) = (ownRoutes(old, labels), ownRoutes(new, labels))
        details += describe(after.keys.filter { before[$0] == nil }, "added")
        details += describe(before.keys.filter { after[$0] == nil }, "removed")
        details += describe(after.keys.filter { before[$0] != nil && before[$0] != after[$0] }, "changed")
        if ownTrust(old) != ownTrust(new) { details.append("trust changed") }
        if old.cookieJar != new.cookieJar {
            details.append(new.cookieJar.map { "cookie jar \($0)" } ?? "no cookie jar")
        }
        if old.apps != new.apps { details.append("programs changed") }
        if old.redaction != new.redaction { details.append("secrets changed") }
        return details
    }

    /// What servers have said of themselves, by their URLs; what is as it was is not read again.
    private static func schemas(of library: ProfileLibrary) -> [String: ObjectIdentifier] {
        let all = library.profiles.flatMap(\.routes).compactMap { route in
            route.grpc.flatMap { grpc in grpc.reflection.map { ($0.origin, ObjectIdentifier(grpc)) } }
        }
        return Dictionary(all) { first, _ in first }
    }

    private static func describe(_ labels: [String], _ what: String) -> [String] {
        labels.count > limit ? ["\(labels.count) routes \(what)"] : labels.sorted().map { "route \($0) \(what)" }
    }

    /// The labels of the routes between the first and the last that are not as they were.
    private static func changedLabels(_ old: Profile, _ new: Profile) -> Set<String> {
        var (before, after) = (own(old)[...], own(new)[...])
        while let first = before.first, let other = after.first, RouteText(first) == RouteText(other) {
            before.removeFirst()
            after.removeFirst()
        }
        while let last = before.last, let other = after.last, RouteText(last) == RouteText(other) {
            before.removeLast()
            after.removeLast()
        }
        return Set((before + after).map(\.label))
    }

    /// What is extended is told under its own name.
    private static func own(_ profile: Profile) -> [Route] {
        profile.routes.filter { $0.place.profile == profile.name }
    }

    /// What each route of these labels says, by label; routes that share one differ in their header fields.
    private static func ownRoutes(_ profile: Profile, _ labels: Set<String>) -> [String: [RouteText: Int]] {
        var routes: [String: [RouteText: Int]] = [:]
        if labels.isEmpty { return routes }
        for route in own(profile) where labels.contains(route.label) {
            routes[route.label, default: [:]][RouteText(route), default: 0] += 1
        }
        return routes
    }

    /// What tells a route from another reading of it.
    private struct RouteText: Hashable {
        let label: String
        let content: Int
        /// Of two files that have the same route, one is laid over the other.
        let file: String
        let recording: String?
        /// A document that is as it was is not read again.
        let contract: ObjectIdentifier?

        init(_ route: Route) {
            (label, content, file) = (route.label, route.settings.content, route.place.file)
            (recording, contract) = (route.recording?.fingerprint, route.contract.map { ObjectIdentifier($0) })
        }
    }

    private static func ownTrust(_ profile: Profile) -> [String] {
        profile.trust.filter { $0.profile == profile.name }.map {
            "\($0.file) \($0.pattern) \($0.policy) \($0.until ?? "") \($0.reason ?? "")"
        }
    }
}
