extension ProfileLibrary {
    /// Whether a request's host leads here on purpose: an address, a name of special use, or one that some route names.
    ///
    /// Any other name may belong to a stranger, who can point it at this machine (DNS rebinding).
    public func isKnown(host text: String) -> Bool {
        guard let host = try? normalizedHost(text) else { return false }
        if parseIPv4(host.utf8) != nil || IPv6Address(host.utf8) != nil || !isPublicHost(host) { return true }
        let label = environmentLabel(of: ContiguousArray(host.utf8).span)?.length ?? 0
        let name = String(host.dropFirst(label))
        return profiles.contains { profile in
            profile.routes.contains { $0.pattern.host.scope != .any && $0.pattern.host.covers(host: name) }
        }
    }
}
