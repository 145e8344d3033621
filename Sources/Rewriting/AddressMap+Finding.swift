/// An address of ours in a response.
struct ClientAddress {
    /// What replaces its beginning for clients.
    enum Front {
        case nothing, slash
        /// The client's own scheme and authority.
        case authority
        /// That one of the map's addresses.
        case address(AddressReference.Scheme, Int)
    }

    let front: Front
    /// The beginning of the unchanged rest.
    let rest: Int

    init(_ front: Front, rest: Int) {
        self.front = front
        self.rest = rest
    }
}

// The part of a response that names one of the addresses.
extension AddressMap {
    /// The rest of a URL that begins with the own origin in its usual spelling, as nearly all do.
    ///
    /// nil also if a closer comparison is needed.
    @inline(__always)
    func restOfOwn(_ form: Form, _ range: Range<Int>, of bytes: Span<UInt8>, _ text: Span<UInt8>) -> Int? {
        let end = range.lowerBound &+ ownPrefix.count
        guard !ownPrefix.isEmpty, end <= range.upperBound,
            AddressText.isEqual(bytes, range.lowerBound..<end, text, ownPrefix)
        else { return nil }
        if end == range.upperBound { return !hasBasePath || form == .origin ? end : nil }
        guard form != .origin, AddressReference.endsAuthority(bytes[end]) else { return nil }
        return hasBasePath ? rest(of: bytes, end..<range.upperBound, below: own, text) : end
    }

    /// The same for other spellings and other origins.
    func findOther(
        _ form: Form, _ range: Range<Int>, of bytes: Span<UInt8>, _ text: Span<UInt8>, client: ClientName
    ) -> ClientAddress? {
        guard let reference = reference(bytes, range) else {
            guard form == .reference, bytes[range.lowerBound] == 0x2F else { return nil }
            return findPath(range, of: bytes, text)
        }
        if form == .origin, reference.scheme == .inherited || reference.end < range.upperBound { return nil }
        guard let host = host(of: reference, bytes, text) else { return nil }
        var loose: ClientAddress?
        if host == ownHost, let found = find(0, form, reference, range, bytes, text, client) {
            if found.fit == .exact { return found.address }
            loose = found.address
        }
        for index in book.addresses(of: host) {
            guard let found = find(Int(index) &+ 1, form, reference, range, bytes, text, client) else { continue }
            if found.fit == .exact { return found.address }
            loose = loose ?? found.address
        }
        return loose
    }

    /// Whether a reference to an address's host names the address.
    private func find(
        _ index: Int, _ form: Form, _ reference: AddressReference, _ range: Range<Int>, _ bytes: Span<UInt8>,
        _ text: Span<UInt8>, _ client: ClientName
    ) -> (fit: AddressReference.Fit, address: ClientAddress)? {
        let address = address(index)
        let fit = reference.fit(portOf: address)
        guard fit != .none else { return nil }
        // An origin has no path, so that the base path does not count.
        let rest =
            form == .origin
            ? reference.end : rest(of: bytes, reference.end..<range.upperBound, below: address, text)
        guard let rest, canName(address, client: client, text) else { return nil }
        return (fit, ClientAddress(.address(reference.scheme, index), rest: rest))
    }

    /// The host of the book that a reference names.
    func host(of reference: AddressReference, _ bytes: Span<UInt8>, _ text: Span<UInt8>) -> Int? {
        let (host, isBracketed) = (reference.host, reference.isBracketed)
        let spelled = isBracketed ? host.lowerBound &- 1..<host.upperBound &+ 1 : host
        return book.hosts.index(of: spelled, in: bytes, text)
    }

    /// A URL of one of the book's hosts; nil for nearly all others, and for other text.
    @inline(__always)
    private func reference(_ bytes: Span<UInt8>, _ range: Range<Int>) -> AddressReference? {
        guard let (scheme, length) = AddressReference.scheme(bytes, range) else {
            return AddressReference(bytes, range)
        }
        let found = reference(scheme, bytes, range.lowerBound &+ length..<range.upperBound)
        return found?.takesAnyPort ?? true ? nil : found
    }

    /// The same for what follows the scheme.
    @inline(__always)
    func reference(
        _ scheme: AddressReference.Scheme, _ bytes: Span<UInt8>, _ range: Range<Int>
    ) -> AddressReference? {
        guard !range.isEmpty else { return nil }
        let text = text
        guard let end = book.hosts.end(in: bytes, range, text) else {
            return bytes[range.lowerBound] == 0x5B ? AddressReference(scheme, bytes, range) : nil
        }
        let hasDot = end < range.upperBound && bytes[end] == 0x2E
        return AddressReference(
            scheme, bytes, host: range.lowerBound..<end, portAt: hasDot ? end &+ 1 : end, to: range.upperBound)
    }

    /// A path from the root loses the own origin's base path.
    private func findPath(_ range: Range<Int>, of bytes: Span<UInt8>, _ text: Span<UInt8>) -> ClientAddress? {
        guard hasBasePath, let rest = rest(of: bytes, range, below: own, text) else { return nil }
        // Without a slash it would be relative to the page.
        if rest == range.upperBound || bytes[rest] != 0x2F { return ClientAddress(.slash, rest: rest) }
        // The rest would begin like another host, `//evil.test`.
        let isLikeHost = rest &+ 1 < range.upperBound && isSlashToSome(bytes[rest &+ 1])
        return ClientAddress(isLikeHost ? .authority : .nothing, rest: rest)
    }

    /// Browsers take a backslash for a slash, and tabs for nothing.
    private func isSlashToSome(_ byte: UInt8) -> Bool { byte == 0x2F || byte == 0x5C || byte <= 0x20 }

    /// The beginning of the client's path; nil if it is not below the origin's base path.
    func rest(of bytes: Span<UInt8>, _ path: Range<Int>, below address: MappedAddress, _ text: Span<UInt8>) -> Int? {
        let base = address.basePath
        if base.isEmpty { return path.lowerBound }
        let rest = path.lowerBound &+ base.count
        guard rest <= path.upperBound, AddressText.isEqual(bytes, path.lowerBound..<rest, text, base) else {
            return nil
        }
        if rest == path.upperBound { return rest }
        switch bytes[rest] {
        case 0x3F, 0x23: return rest
        case 0x2F: return DotSegments.climb(bytes, rest..<path.upperBound) ? nil : rest
        default: return nil
        }
    }

    /// An address of IPv6 has no place for a label.
    func canName(_ address: MappedAddress, client: ClientName, _ text: Span<UInt8>) -> Bool {
        address.clientHost.isEmpty || client.labelLength <= 0 || text[address.clientHost.lowerBound] != 0x5B
    }
}
