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
        let value = try JSONReader.read(profile)
        guard let members = value.object else {
            throw JSONFailure(position: value.position, message: "a profile is an object", expected: "`{`")
        }
        var key = JSONWriter()
        key.value(host)
        let text = "\(String(decoding: key.bytes, as: UTF8.self)): \(rule)"
        let place: Int
        let inserted: String
        if let table = value["trust"] {
            guard let rules = table.object else {
                throw JSONFailure(
                    position: table.position, message: "\"trust\" is \(table.kindName)", expected: "an object")
            }
            let pattern = try? HostPattern(parsing: host, allowsLoopback: true)
            if let old = rules.first(where: { (try? HostPattern(parsing: $0.key, allowsLoopback: true)) == pattern }) {
                if replaces {
                    let start = old.value.position.offset
                    let end = try JSONReader.end(ofValueAt: start, in: profile)
                    return try JSONFormatter.format(
                        Array(profile[..<start]) + Array(rule.utf8) + Array(profile[end...]))
                }
                throw JSONFailure(
                    position: old.keyPosition, message: "there is a rule for \(host) already",
                    expected: "\(text) in its place")
            }
            place = table.position.offset + 1
            inserted = "\n" + text + (rules.isEmpty ? "\n" : ",\n")
        } else {
            place = value.position.offset + 1
            inserted = "\n\"trust\": {\n" + text + "\n}" + (members.isEmpty ? "\n" : ",\n")
        }
        return try JSONFormatter.format(Array(profile[..<place]) + Array(inserted.utf8) + Array(profile[place...]))
    }
}
