import JSON

private let millisecond: UInt64 = 1_000_000
private let minute: UInt64 = 60_000 * millisecond
private let rates: ClosedRange<UInt64> = 1000...10_000_000_000

/// The conditions under `network`, of a profile or a route; nil without the key, and after a report.
func decodeNetwork(_ fields: Fields, of what: String) -> NetworkConditions? {
    guard let value = fields["network"] else { return nil }
    if let name = value.string { return preset(name, value, fields.reporter) }
    guard value.object != nil else {
        fields.wrongKind("network", value, "a preset like \"lte\", or an object like { \"latency\": \"300ms\" }")
        return nil
    }
    guard let figures = Fields(value, "the \"network\" of \(what)", keys: ProfileKeys.network, fields.reporter) else {
        return nil
    }
    return NetworkDecoding(fields: figures).conditions()
}

/// The conditions of a route's responses: those that can differ on a connection that several share.
func decodeRouteNetwork(_ fields: Fields) -> NetworkConditions? {
    guard let conditions = decodeNetwork(fields, of: "a route") else { return nil }
    let members = fields["network"]?.object ?? []
    for member in members where ["up", "loss", "stall", "setup", "outages"].contains(member.key) {
        fields.reporter.report(
            member.keyPosition, "\"\(member.key)\" in the \"network\" of a route",
            expected: "it in the \"network\" of a profile", hint: "it is a property of the whole connection")
    }
    guard let cut = conditions.cut else { return conditions }
    fields.reporter.report(
        fields["network"]?.position, "the network \"\(conditions.name)\" of a route",
        expected: cut == .reset ? "\"fault\": \"reset\"" : cut == .hang ? "\"fault\": \"hang\"" : "it in a profile")
    return nil
}

private func preset(_ name: String, _ value: JSONValue, _ reporter: Reporter) -> NetworkConditions? {
    do throws(UnknownNetwork) {
        return try UnknownNetwork.find(name)
    } catch {
        reporter.report(
            value.position, "there is no network \"\(name)\"",
            expected: "one of \(UnknownNetwork.names.joined(separator: ", ")), or an object with figures",
            hint: error.nearest.map { "did you mean \"\($0)\"?" })
        return nil
    }
}

/// Figures of one object, over those of the preset that it names.
private struct NetworkDecoding {
    let fields: Fields

    func conditions() -> NetworkConditions? {
        var conditions = NetworkConditions(name: "custom")
        if let value = fields["preset"] {
            guard let name = fields.string("preset", expected: "a preset like \"lte\"") else { return nil }
            guard let base = preset(name, value, fields.reporter) else { return nil }
            conditions = base
            if fields.count > 1 { conditions.name = "\(name)-custom" }
        }
        conditions.latency = time("latency", 0...minute, "from 0ms to 1m, like \"300ms\"") ?? conditions.latency
        conditions.jitter = time("jitter", 0...minute, "from 0ms to 1m, like \"50ms\"") ?? conditions.jitter
        conditions.stall = time("stall", 0...minute, "from 0ms to 1m, like \"500ms\"") ?? conditions.stall
        conditions.setup = time("setup", 0...minute, "from 0ms to 1m, like \"300ms\"") ?? conditions.setup
        conditions.down = rate("down") ?? conditions.down
        conditions.up = rate("up") ?? conditions.up
        conditions.loss = loss() ?? conditions.loss
        conditions.distribution = distribution() ?? conditions.distribution
        conditions.outages = outages() ?? conditions.outages
        if let value = fields["seed"] {
            if let seed = value.number?.int64, seed >= 0 {
                conditions.seed = UInt64(seed)
            } else {
                fields.reporter.report(
                    value.position, "\"seed\" is \(spelling(value))", expected: "a whole number from 0")
            }
        }
        return conditions
    }

    private func time(_ key: String, _ range: ClosedRange<UInt64>, _ expected: String) -> UInt64? {
        fields[key].flatMap { time($0, "\"\(key)\"", range, expected) }
    }

    private func time(
        _ value: JSONValue, _ what: String, _ range: ClosedRange<UInt64>, _ expected: String
    ) -> UInt64? {
        if let time = value.string.flatMap({ Quantity.duration($0) }), range.contains(time) { return time }
        fields.reporter.report(
            value.position, "\(what) is \(spelling(value))", expected: "a time \(expected)",
            hint: value.number == nil ? nil : "a time is a text with its unit")
        return nil
    }

    private func rate(_ key: String) -> UInt64? {
        guard let value = fields[key] else { return nil }
        if let rate = value.string.flatMap({ Quantity.rate($0) }), rates.contains(rate) { return rate }
        fields.reporter.report(
            value.position, "\"\(key)\" is \(spelling(value))",
            expected: "a rate from 1kbit/s to 10Gbit/s, like \"1.6Mbit/s\"",
            hint: value.number == nil ? nil : "a rate is a text with its unit")
        return nil
    }

    private func loss() -> Int? {
        guard let value = fields["loss"] else { return nil }
        if let loss = value.string.flatMap({ Quantity.percent($0) }), loss <= 500_000 { return loss }
        fields.reporter.report(
            value.position, "\"loss\" is \(spelling(value))",
            expected: "a share of packets from 0% to 50%, like \"1%\"",
            hint: value.number == nil ? nil : "a share is a text with its sign")
        return nil
    }

    private func distribution() -> NetworkConditions.Distribution? {
        guard let value = fields["distribution"] else { return nil }
        let names = NetworkConditions.Distribution.allCases.map(\.rawValue)
        if let found = value.string.flatMap({ NetworkConditions.Distribution(rawValue: $0) }) { return found }
        fields.reporter.report(
            value.position, "\"distribution\" is \(spelling(value))",
            expected: "one of \(names.map { "\"\($0)\"" }.joined(separator: ", "))",
            hint: value.string.flatMap { didYouMean($0, among: names) })
        return nil
    }

    private func outages() -> NetworkConditions.Outages? {
        guard let value = fields["outages"],
            let outages = Fields(value, "the \"outages\" of a network", keys: ProfileKeys.outages, fields.reporter),
            let every = range("every", outages), let lasting = range("for", outages)
        else { return nil }
        return NetworkConditions.Outages(every: every, lasting: lasting)
    }

    /// One time, or the shortest and the longest.
    private func range(_ key: String, _ outages: Fields) -> ClosedRange<UInt64>? {
        let (limits, expected) = (millisecond...60 * minute, "from 1ms to 1h, like \"5s\" or [\"5s\", \"20s\"]")
        guard let value = outages[key] else {
            outages.reporter.report(
                outages.place, "\"outages\" without \"\(key)\"", expected: "a time \(expected)")
            return nil
        }
        let items = value.array ?? [value]
        guard (1...2).contains(items.count) else {
            outages.reporter.report(
                value.position, "\"\(key)\" has \(items.count) times", expected: "one, or the shortest and the longest")
            return nil
        }
        let times = items.compactMap { time($0, "\"\(key)\"", limits, expected) }
        guard times.count == items.count, let first = times.first, let last = times.last else { return nil }
        guard first <= last else {
            outages.reporter.report(
                value.position, "\"\(key)\" ends before it begins", expected: "the shortest time first")
            return nil
        }
        return first...last
    }
}
