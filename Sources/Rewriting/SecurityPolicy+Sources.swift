import Bytes

extension AddressMap {
    /// Maps source expressions of a security policy like URLs (CSP3 2.3.1).
    func rewrite(source range: Range<Int>, in copy: inout HeadCopy, to out: inout Buffer) -> Bool {
        let (authority, client) = (copy.authority, copy.client)
        guard let source = HostSource(copy.bytes, range, of: self), !authority.isEmpty,
            let found = find(source, copy.bytes, authority: authority, client: client)
        else { return true }
        // Siblings that are not mapped are still loaded from their own hosts.
        guard
            source.isWildcard
                ? copy.upTo(range.upperBound, to: &out) && out.appendWhole(" ") : copy.upTo(range.lowerBound, to: &out)
        else { return false }
        let mark = out.count
        guard source.scheme == nil || append(source.reference.scheme, client: client, to: &out),
            append(host: found, authority: authority, client: client, to: &out),
            source.reference.takesAnyPort
                ? out.appendWhole(":*") : out.appendWhole(authority.extracting(client.port(authority))),
            out.appendWhole(copy.bytes.extracting(found.rest))
        else { return false }
        copy.skip(to: range.upperBound, since: mark, in: out)
        return true
    }
}

/// `https://*.host:port/path`, of which only the host is always there.
private struct HostSource {
    let scheme: AddressReference.Scheme?
    let isWildcard: Bool
    let reference: AddressReference
    let path: Range<Int>

    /// nil also for nearly all hosts that are not in the map.
    @inline(__always)
    init?(_ bytes: Span<UInt8>, _ range: Range<Int>, of map: AddressMap) {
        var start = range.lowerBound
        let found = AddressReference.scheme(bytes, range)
        scheme = found?.0
        start &+= found?.1 ?? 0
        isWildcard = AddressText.hasPrefix(bytes, start..<range.upperBound, "*.")
        if isWildcard { start &+= 2 }
        let authority = start..<range.upperBound
        // A wildcard's host is what ours end with.
        guard
            let reference = isWildcard
                ? AddressReference(scheme ?? .inherited, bytes, authority)
                : map.reference(scheme ?? .inherited, bytes, authority)
        else { return nil }
        // `data:` is a scheme, even if a host has that name.
        if reference.hasColon, reference.port == nil, !reference.takesAnyPort { return nil }
        self.reference = reference
        path = reference.end..<range.upperBound
    }
}

extension AddressMap {
    fileprivate struct FoundSource {
        let address: MappedAddress
        /// Of the client's host, bytes that a wildcard stands for, with their dot; nil without a wildcard.
        let wildcard: Int?
        let rest: Range<Int>
    }

    fileprivate func find(
        _ source: HostSource, _ bytes: Span<UInt8>, authority: Span<UInt8>, client: ClientName
    ) -> FoundSource? {
        let text = text
        var loose: FoundSource?
        for index in indices {
            let address = address(index)
            let fit = source.reference.fit(portOf: address)
            guard fit != .none, fit == .exact || loose == nil, canName(address, client: client, text) else { continue }
            var wildcard: Int?
            if source.isWildcard {
                wildcard =
                    address.clientHost.isEmpty
                    ? labels(in: authority, client.plainHost(authority), of: address, above: source, bytes, text)
                    : labels(in: text, address.clientHost, of: address, above: source, bytes, text)
                if wildcard == nil { continue }
            } else if !AddressText.isSame(bytes, source.reference.host, text, address.host) {
                continue
            }
            guard let rest = rest(of: bytes, source.path, covering: address, text) else { continue }
            let found = FoundSource(address: address, wildcard: wildcard, rest: rest)
            if fit == .exact { return found }
            loose = found
        }
        return loose
    }

    /// The length of the labels, with their dot, that the origin's host has above the source's and the client's
    /// begins with, too.
    private func labels(
        in client: Span<UInt8>, _ host: Range<Int>, of address: MappedAddress, above source: HostSource,
        _ bytes: Span<UInt8>, _ text: Span<UInt8>
    ) -> Int? {
        let length = address.host.count &- source.reference.host.count
        guard length > 1, host.count > length else { return nil }
        let top = address.host.lowerBound &+ length
        guard text[top &- 1] == 0x2E,
            AddressText.isSame(bytes, source.reference.host, text, top..<address.host.upperBound),
            AddressText.isSame(
                client, host.lowerBound..<host.lowerBound &+ length, text, address.host.lowerBound..<top)
        else { return nil }
        return length
    }

    /// A source's path as the client knows it.
    ///
    /// A source without a path, and one whose path ends with a slash and leads to the base path, covers all of it.
    private func rest(
        of bytes: Span<UInt8>, _ path: Range<Int>, covering address: MappedAddress, _ text: Span<UInt8>
    ) -> Range<Int>? {
        if path.isEmpty { return path }
        if let rest = rest(of: bytes, path, below: address, text) { return rest..<path.upperBound }
        let base = address.basePath.lowerBound
        guard path.count <= address.basePath.count, bytes[path.upperBound &- 1] == 0x2F,
            AddressText.isEqual(bytes, path, text, base..<base &+ path.count)
        else { return nil }
        return path.upperBound &- 1..<path.upperBound
    }

    fileprivate func append(
        host found: FoundSource, authority: Span<UInt8>, client: ClientName, to out: inout Buffer
    ) -> Bool {
        let text = text
        guard let wildcard = found.wildcard else {
            return appendHost(of: found.address, text, authority: authority, client: client, to: &out)
        }
        guard out.appendWhole("*.") else { return false }
        if found.address.clientHost.isEmpty {
            return out.appendWhole(authority.extracting(client.plainHost(authority).dropFirst(wildcard)))
        }
        return out.appendWhole(text.extracting(found.address.clientHost.dropFirst(wildcard)))
    }
}
