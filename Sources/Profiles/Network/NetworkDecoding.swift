import JSON

/// The conditions under `network`, of a profile or a route; nil without the key, and after a report.
func decodeNetwork(_ fields: Fields, of what: String) -> NetworkConditions? {
    guard let value = fields["network"] else { return nil }
    if let name = value.string { return preset(name, value, fields.reporter) }
    guard let figures = fields.fields("network", NetworkConditions.keys, "the \"network\" of \(what)") else {
        return nil
    }
    var conditions = NetworkConditions(name: "custom")
    if let value = figures["preset"] {
        guard let name = figures.string("preset"), let base = preset(name, value, fields.reporter) else { return nil }
        conditions = base
        if figures.members.count > 1 { conditions.name = "\(name)-custom" }
    }
    NetworkConditions.keys.read(figures, into: &conditions)
    return conditions
}

/// The conditions of a route's responses: those that can differ on a connection that several share.
func decodeRouteNetwork(_ fields: Fields) -> NetworkConditions? {
    guard let conditions = decodeNetwork(fields, of: "a route") else { return nil }
    let members = fields["network"]?.object ?? []
    for member in members where ["up", "loss", "stall", "setup", "outages"].contains(member.key) {
        fields.report(
            member, "\"\(member.key)\" in the \"network\" of a route", expected: "it in the \"network\" of a profile",
            hint: "it is a property of the whole connection")
    }
    guard let cut = conditions.cut else { return conditions }
    return fields.refuse(
        fields["network"], "the network \"\(conditions.name)\" of a route",
        expected: cut == .reset ? "\"fault\": \"reset\"" : cut == .hang ? "\"fault\": \"hang\"" : "it in a profile")
}

private func preset(_ name: String, _ value: JSONValue, _ reporter: Reporter) -> NetworkConditions? {
    do throws(UnknownNetwork) { return try UnknownNetwork.find(name) } catch {
        return reporter.refuse(
            value, "there is no network \"\(name)\"",
            expected: "one of \(UnknownNetwork.names.joined(separator: ", ")), or an object with figures",
            hint: error.nearest.map { "did you mean \"\($0)\"?" })
    }
}

extension NetworkConditions.Outages {
    static let expected = "\(time.expected) or [\"5s\", \"20s\"]"
    private static let time = ValueKind<UInt64>.time("1ms", "1h", like: "5s")

    /// What a network has under `outages`; nil after a report.
    init?(_ network: Fields) {
        guard let outages = network.fields("outages", NetworkConditions.outageKeys),
            let every = Self.range("every", outages), let lasting = Self.range("for", outages)
        else { return nil }
        self.init(every: every, lasting: lasting)
    }

    /// One time, or the shortest and the longest.
    private static func range(_ key: String, _ outages: Fields) -> ClosedRange<UInt64>? {
        guard let value = outages[key] else {
            return outages.reporter.refuse(outages.place, "\"outages\" without \"\(key)\"", expected: expected)
        }
        let items = value.array ?? [value]
        guard (1...2).contains(items.count) else {
            return outages.reporter.refuse(
                value, "\"\(key)\" has \(items.count) times", expected: "one, or the shortest and the longest")
        }
        let times = items.compactMap { item in
            time.read(JSONMember(key: key, keyPosition: item.position, value: item), outages)
        }
        guard times.count == items.count, let first = times.first, let last = times.last else { return nil }
        guard first <= last else {
            return outages.reporter.refuse(
                value, "\"\(key)\" ends before it begins", expected: "the shortest time first")
        }
        return first...last
    }
}
