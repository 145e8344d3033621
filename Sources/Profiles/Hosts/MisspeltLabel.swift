import Bytes

/// What a host has in front of `--` where a profile's name was meant: `stagign--api.shop.test`.
package struct MisspeltLabel {
    package let message: String
    package let advice: String
}

extension ProfileLibrary {
    /// The label of a host that names no profile, where one is meant; nil where the host may have it by itself, such as
    /// that of a preview, `branch--site.example`.
    ///
    /// - Parameter isOwn: whether a name is one of this machine.
    package func misspeltLabel(of text: String, isOwn: (String) -> Bool) -> MisspeltLabel? {
        guard let host = try? normalizedHost(text), let dashes = host.range(of: "--") else { return nil }
        let bytes = ContiguousArray(host.utf8)
        guard case .unknown = label(of: bytes.span), !isNamedExactly(host) else { return nil }
        let (name, rest) = (String(host[..<dashes.lowerBound]), String(host[dashes.upperBound...]))
        guard !name.isEmpty, !name.contains("."), !rest.isEmpty else { return nil }
        let near = nearestName(to: name)
        guard isNamedExactly(rest) || isOwn(rest) || near != nil && isKnown(host: rest) else { return nil }
        let hint = near.map { "Did you mean \($0)--\(rest)? " } ?? ""
        return MisspeltLabel(
            message: "the host \(host) names no profile: \"\(name)\"",
            advice: hint
                + "There are: \(profiles.map(\.name).joined(separator: ", ")). If it is a host of its own, name it "
                + "in a route or under \"allowedHosts\".")
    }

    private func isNamedExactly(_ host: String) -> Bool {
        profiles.contains { profile in
            profile.allowedHosts.contains { $0.scope == .exact(host) }
                || profile.routes.contains { $0.pattern.host.scope == .exact(host) }
        }
    }
}
