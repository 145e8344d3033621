public import JSON

/// Puts a trust rule into the text of a profile, whose comments and spellings stay.
public enum TrustInsertion {
    /// The profile with one rule more.
    /// - Parameters:
    ///   - rule: the text of a policy.
    ///   - replaces: it takes the place of a rule for the same hosts.
    /// - Throws: where the text is no profile's, or has a rule for the same hosts that is not replaced.
    public static func inserting(
        _ rule: String, for host: String, into profile: [UInt8], replaces: Bool = false
    ) throws(JSONFailure) -> [UInt8] {
        var key = JSONWriter()
        key.value(host)
        let text = "\(key.text): \(rule)"
        let pattern = try? HostPattern(parsing: host, allowsLoopback: true)
        let rules = try JSONReader.read(profile)["trust"]?.object ?? []
        let old = rules.first { (try? HostPattern(parsing: $0.key, allowsLoopback: true)) == pattern }
        guard let old else {
            return try ProfileInsertion.inserting(
                text, under: "trust", ("{", "}"), expected: "an object", into: profile)
        }
        guard replaces else {
            throw JSONFailure(
                position: old.keyPosition, message: "there is a rule for \(host) already",
                expected: "\(text) in its place")
        }
        let start = old.value.position.offset
        let end = try JSONReader.end(ofValueAt: start, in: profile)
        return try JSONFormatter.format(Array(profile[..<start]) + Array(rule.utf8) + Array(profile[end...]))
    }
}
