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
        if old.extends != new.extends {
            details.append(new.extends.map { "extends \($0)" } ?? "extends nothing")
        }
        // What is extended is told under its own name.
        let (before, after) = (ownRoutes(old), ownRoutes(new))
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

    /// What each route says, by label; routes that share one differ in their header fields.
    private static func ownRoutes(_ profile: Profile) -> [String: [String]] {
        var routes: [String: [String]] = [:]
        for route in profile.routes where route.profile == profile.name {
            // Of two files that have the same route, one is laid over the other.
            let (file, recording) = (route.file, route.recording?.fingerprint ?? "")
            // A document that is as it was is not read again.
            let contract = route.contract.map { "\(ObjectIdentifier($0))" } ?? ""
            routes[route.label, default: []].append("\(route.content) \(file) \(recording) \(contract)")
        }
        return routes.mapValues { $0.sorted() }
    }

    private static func ownTrust(_ profile: Profile) -> [String] {
        profile.trust.filter { $0.profile == profile.name }.map {
            "\($0.file) \($0.pattern) \($0.policy) \($0.until ?? "") \($0.reason ?? "")"
        }
    }
}
