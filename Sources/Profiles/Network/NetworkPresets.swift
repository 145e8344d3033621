extension NetworkConditions {
    /// The presets, from the best to the worst; docs/networks.md has their figures.
    public static let presets: [NetworkConditions] = [
        make("lte", latency: 50, jitter: 15, down: 20_000, up: 8000, loss: 0.05),
        make("lte-weak", latency: 250, jitter: 80, down: 1200, up: 400, loss: 0.5),
        make("3g", latency: 300, jitter: 60, down: 1600, up: 768, loss: 0.2),
        make("edge", latency: 840, jitter: 200, down: 240, up: 200, loss: 0.5),
        make("hotel", latency: 120, jitter: 60, .pareto, down: 1000, up: 256, loss: 1),
        make(
            "metro", latency: 80, jitter: 30, down: 8000, up: 2000, loss: 0.5,
            outages: Outages(every: seconds(12, 40), lasting: seconds(3, 10))),
        noOrigins, offline, cut("blackhole", .hang), cut("tls-alert", .alert),
    ]

    /// What `shunt offline on` chooses.
    public static let noOrigins = cut("no-origins", .origins)

    public static let offline = cut("offline", .reset)

    private static func cut(_ name: String, _ cut: Cut) -> NetworkConditions {
        var conditions = NetworkConditions(name: name)
        conditions.cut = cut
        return conditions
    }

    public static func preset(_ name: String) -> NetworkConditions? { presets.first { $0.name == name } }

    /// - Parameters:
    ///   - latency: milliseconds, as is the jitter.
    ///   - down: kbit/s, as is `up`.
    ///   - loss: percent.
    private static func make(
        _ name: String, latency: UInt64, jitter: UInt64, _ distribution: Distribution = .normal, down: UInt64,
        up: UInt64, loss: Double, outages: Outages? = nil
    ) -> NetworkConditions {
        var conditions = NetworkConditions(name: name)
        conditions.latency = latency * 1_000_000
        conditions.jitter = jitter * 1_000_000
        conditions.distribution = distribution
        conditions.down = down * 1000
        conditions.up = up * 1000
        conditions.loss = Int(loss * 10_000)
        conditions.outages = outages
        return conditions
    }

    private static func seconds(_ first: UInt64, _ last: UInt64) -> ClosedRange<UInt64> {
        first * 1_000_000_000...last * 1_000_000_000
    }
}

/// No preset has this name.
public struct UnknownNetwork: Error, Sendable {
    public let name: String
    /// What the user most likely meant.
    public let nearest: String?

    /// The preset of that name.
    public static func find(_ name: String) throws(UnknownNetwork) -> NetworkConditions {
        if let found = NetworkConditions.preset(name) { return found }
        throw UnknownNetwork(name: name, nearest: Profiles.nearest(to: name, among: names))
    }

    public static var names: [String] { NetworkConditions.presets.map(\.name) }

    /// What exists instead.
    public var advice: String {
        "There are: \(Self.names.joined(separator: ", "))." + (nearest.map { " Did you mean \"\($0)\"?" } ?? "")
    }
}
