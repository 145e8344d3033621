/// All profiles of a project, loaded and checked together.
public final class ProfileLibrary: Sendable {
    /// By name.
    public let profiles: [Profile]
    /// Files that belong to one person, by the name of the profile.
    public let overrides: [PersonalOverride]
    /// The overrides of one of them for this run.
    public let settings: RunSettings?
    /// The directory they came from; nil when they came from memory.
    public let directory: String?
    /// Everything that was read, profiles with the certificates and scripts they name, to be watched.
    ///
    /// New profiles show in ``directory``.
    public let files: [String]
    /// nil where no profile seals recorded traffic.
    public let sealing: StoreSealing?
    let production: ProductionOrigins
    let knownHosts: KnownHosts
    private let labels: EnvironmentLabels
    /// By the names of programs, indices in ``profiles``.
    private let apps: [String: Int]

    init(
        profiles: [Profile], overrides: [PersonalOverride], settings: RunSettings?, directory: String?,
        files: [String], sealing: StoreSealing?
    ) {
        (self.profiles, self.overrides, self.settings, self.directory) = (profiles, overrides, settings, directory)
        (self.files, self.sealing) = (files, sealing)
        production = ProductionOrigins(profiles)
        knownHosts = KnownHosts(profiles)
        labels = EnvironmentLabels(profiles)
        apps = Dictionary(
            profiles.enumerated().flatMap { index, profile in profile.apps.map { ($0, index) } }
        ) { first, _ in first }
    }

    /// The same where all that was production stays so: a file may be away for a moment, as while another branch is
    /// checked out.
    public func keepingProduction(of old: ProfileLibrary) -> ProfileLibrary {
        ProfileLibrary(self, production: production.keeping(old.production))
    }

    private init(_ library: ProfileLibrary, production: ProductionOrigins) {
        (profiles, overrides, settings) = (library.profiles, library.overrides, library.settings)
        (directory, files, sealing) = (library.directory, library.files, library.sealing)
        (knownHosts, labels, apps) = (library.knownHosts, library.labels, library.apps)
        self.production = production
    }

    /// Why origins are still production though no file says so, one sentence each without its full stop.
    public var keptProduction: [String] { production.kept.map(\.description) }

    /// Where trust that verifies nothing would reach an origin that is still production though no file says so.
    public var unverifiedKeptProduction: [String] {
        profiles.flatMap(\.routes).flatMap { route in
            route.responder.addresses.compactMap { address in
                guard address.isTLS, address.trust.isUnverified,
                    let use = production.uses(of: address).first(where: \.isKept)
                else { return nil }
                return "\(route.file):\(route.line): \(address.trust.name) for \(address), but \(use.description)"
            }
        }
    }

    /// Whether a production profile has an origin that it had not when it was read before.
    public func hasNewProduction(of profile: String, since old: ProfileLibrary) -> Bool {
        production.hasMore(of: profile, than: old.production)
    }

    public subscript(_ name: String) -> Profile? { profiles.first { $0.name == name } }

    /// The name one most likely meant, for messages.
    public func nearestName(to name: String) -> String? { nearest(to: name, among: profiles.map(\.name)) }

    /// Every rule that switches checks off, once each, to be listed loudly at the start.
    public var exceptions: [TrustRule] {
        var seen: Set<TrustRule> = []
        return profiles.flatMap(\.trust).filter { $0.policy.isUnverified && seen.insert($0).inserted }
    }

    /// The profile, as an index in ``profiles``, that names a program by one of its names, the most exact first.
    public func profile(of names: [String]) -> Int? {
        apps.isEmpty ? nil : names.lazy.compactMap { self.apps[$0] }.first
    }

    /// The profile that a host names in front of the host that is meant, as `staging--api.shop.test` does.
    ///
    /// Allocates nothing. A host that some route names as it stands has no label.
    /// - Parameter host: the authority's host as received, without port.
    public func environmentLabel(of host: Span<UInt8>) -> EnvironmentLabel? {
        if case .environment(let label) = labels.find(host) { label } else { nil }
    }

    /// The same, told apart from a label that is no profile's name.
    package func label(of host: Span<UInt8>) -> HostLabel { labels.find(host) }
}

/// A file `NAME.local.json`, which is not shared.
public struct PersonalOverride: Hashable, Sendable {
    public let profile: String
    public let file: String
    /// Whether it overrides a shared profile; otherwise it is a profile of its own.
    public let isLaidOver: Bool
}
