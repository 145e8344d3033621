import JSON

/// Checks candidates `profile:NAME` of routes: that there is such a profile, and that chains lead to no circle.
///
/// A circle is looked for with one request per route; those that only other requests run into are left to the one who
/// follows the chain.
struct FallbackGuard {
    /// With the files that each is made of, in the order in which they are asked.
    let profiles: [(profile: Profile, levels: [ProfileSource])]
    /// All that were read, also those that could not be compiled.
    let names: [String]
    let problems: ProblemList

    /// A route of a profile that leads to another profile.
    private struct Step {
        let profile: Profile
        let owner: ProfileSource
        let place: JSONPosition
    }

    func check() {
        for (profile, levels) in profiles {
            for (index, (level, route)) in routes(levels).enumerated() where !route.askedProfiles.isEmpty {
                for (name, place) in route.askedProfiles where !names.contains(name) {
                    level.reporter(problems).report(
                        place, "there is no profile \"\(name)\" to ask",
                        expected: "one of \(names.joined(separator: ", "))", hint: didYouMean(name, among: names))
                }
                let sample = SampleRequest(of: route.pattern)
                // Without a matching request the route cannot be checked.
                guard sample.route(in: profile) == index else { continue }
                var done: Set<String> = []
                follow(sample, from: profile, [], &done)
            }
        }
    }

    private func routes(_ levels: [ProfileSource]) -> [(ProfileSource, RouteSource)] {
        levels.flatMap { level in level.routes.map { (level, $0) } }
    }

    /// - Parameter done: profiles from which every way was followed to its end.
    private func follow(_ sample: SampleRequest, from profile: Profile, _ path: [Step], _ done: inout Set<String>) {
        guard !done.contains(profile.name),
            let levels = profiles.first(where: { $0.profile === profile })?.levels,
            let index = sample.route(in: profile)
        else { return }
        let (owner, route) = routes(levels)[index]
        for (name, place) in route.askedProfiles {
            let path = path + [Step(profile: profile, owner: owner, place: place)]
            if let start = path.firstIndex(where: { $0.profile.name == name }) {
                report(Array(path[start...]))
            } else if let next = profiles.first(where: { $0.profile.name == name })?.profile {
                follow(sample, from: next, path, &done)
            }
        }
        done.insert(profile.name)
    }

    /// Reports a circle at one profile only, whichever of them was looked at first.
    private func report(_ circle: [Step]) {
        guard let start = circle.indices.min(by: { circle[$0].profile.name < circle[$1].profile.name }) else { return }
        let turned = circle[start...] + circle[..<start]
        let names = (turned.map(\.profile.name) + [circle[start].profile.name]).joined(separator: " -> ")
        circle[start].owner.reporter(problems).report(
            circle[start].place, "profiles ask each other for the same requests in a circle: \(names)",
            expected: "a last one that asks none")
    }
}

/// A request that a pattern fits, as unlike to other patterns as can be.
private struct SampleRequest {
    private let host: String
    private let port: UInt16?
    private let path: [UInt8]
    private let method: String
    private let fields: [FieldCondition]

    init(of pattern: RoutePattern) {
        let label = "some-host"
        host =
            switch pattern.host.scope {
            case .exact(let host): host
            case .below(let parent): "\(label).\(parent)"
            case .any, .loopback, .network: label
            }
        port = pattern.host.port
        let segment = Array("some-segment".utf8)
        path =
            pattern.path.bytes.flatMap { $0 == PathPattern.star ? segment : [$0] }
            + (pattern.path.isPrefix ? [UInt8(ascii: "/")] + segment : [])
        method = pattern.methods.first ?? "GET"
        fields = pattern.fields
    }

    func route(in profile: Profile) -> Int? {
        profile.match(
            host: ContiguousArray(host.utf8).span, port: port, path: ContiguousArray(path).span,
            method: ContiguousArray(method.utf8).span
        ) { name, value in fields.contains { $0.name == name && (value == nil || $0.value == nil || $0.value == value) }
        }
    }
}
