import Profiles

extension RedactionSettings {
    /// For people; nil where a profile says nothing of its own.
    var text: String? {
        var parts = [("fields", fields), ("parameters", parameters), ("json", json), ("keeping", keep)]
            .filter { !$0.1.isEmpty }.map { "\($0) \($1.joined(separator: ", "))" }
        if let jwtClaims { parts.append(jwtClaims ? "tokens keep their claims" : "tokens lose their claims") }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }
}
