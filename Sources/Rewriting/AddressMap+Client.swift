public import Bytes

extension AddressMap {
    /// Appends what an answer says of an address as the client is to see it.
    ///
    /// - Parameters:
    ///   - range: where it lies in `bytes`, without white space around it.
    ///   - authority: the request's, as the client sent it.
    public func appendForClient(
        _ form: Form, _ range: Range<Int>, of bytes: Span<UInt8>, authority: Span<UInt8>, client: ClientName,
        to out: inout Buffer
    ) -> Outcome {
        appendForClient(
            form, range, through: range.upperBound, of: bytes, authority: authority, client: client, to: &out)
    }

    /// The same with what follows the address up to `end`, which goes on as it is.
    @inline(__always)
    func appendForClient(
        _ form: Form, _ range: Range<Int>, through end: Int, of bytes: Span<UInt8>, authority: Span<UInt8>,
        client: ClientName, to out: inout Buffer
    ) -> Outcome {
        guard !range.isEmpty, !authority.isEmpty else { return .foreign }
        let text = text
        if let rest = restOfOwn(form, range, of: bytes, text) {
            return append(
                addresses[0].isTLS ? .https : .http, addresses[0], rest..<end, of: bytes, text,
                authority: authority, client: client, to: &out)
        }
        return appendOther(
            form, range, through: end, of: bytes, text, authority: authority, client: client, to: &out)
    }

    /// What is spelled in another way, or names another origin.
    private func appendOther(
        _ form: Form, _ range: Range<Int>, through end: Int, of bytes: Span<UInt8>, _ text: Span<UInt8>,
        authority: Span<UInt8>, client: ClientName, to out: inout Buffer
    ) -> Outcome {
        if let (_, length) = AddressReference.scheme(bytes, range),
            !mayBeHost(bytes, range.lowerBound &+ length..<range.upperBound)
        {
            return .foreign
        }
        guard let reference = AddressReference(bytes, range) else {
            guard form == .reference, bytes[range.lowerBound] == 0x2F else { return .foreign }
            return appendPath(range, through: end, of: bytes, text, authority: authority, client: client, to: &out)
        }
        if form == .origin, reference.scheme == .inherited || reference.end < range.upperBound { return .foreign }
        var found: (index: Int, rest: Int)?
        let key = AddressText.key(bytes, reference.host)
        for index in keys.indices where keys[index] == key {
            let fit = reference.fit(bytes, to: addresses[index], text: text)
            guard fit != .none, fit == .exact || found == nil else { continue }
            // An origin has no path, so that the base path does not count.
            let rest =
                form == .origin
                ? reference.end : rest(of: bytes, reference.end..<range.upperBound, below: addresses[index], text)
            guard let rest, canName(addresses[index], client: client, text) else { continue }
            found = (index, rest)
            if fit == .exact { break }
        }
        guard let found else { return .foreign }
        return append(
            reference.scheme, addresses[found.index], found.rest..<end, of: bytes, text, authority: authority,
            client: client, to: &out)
    }

    /// Whether a host may be one of ours, by its first letter; an IPv6 literal always may.
    @inline(__always)
    func mayBeHost(_ bytes: Span<UInt8>, _ host: Range<Int>) -> Bool {
        guard let first = host.first else { return false }
        return bytes[first] == 0x5B || hostStarts &>> UInt64(AddressText.small(bytes[first]) & 63) & 1 == 1
    }

    /// What follows the own origin in a URL that spells it as the origin itself does, as nearly all do.
    ///
    /// nil also where it takes a closer look to say.
    @inline(__always)
    private func restOfOwn(_ form: Form, _ range: Range<Int>, of bytes: Span<UInt8>, _ text: Span<UInt8>) -> Int? {
        let end = range.lowerBound &+ ownPrefix.count
        guard !ownPrefix.isEmpty, end <= range.upperBound,
            AddressText.isEqual(bytes, range.lowerBound..<end, text, ownPrefix)
        else { return nil }
        if end == range.upperBound { return addresses[0].basePath.isEmpty || form == .origin ? end : nil }
        guard form != .origin, AddressReference.endsAuthority(bytes[end]) else { return nil }
        return rest(of: bytes, end..<range.upperBound, below: addresses[0], text)
    }

    @inline(__always)
    private func append(
        _ scheme: AddressReference.Scheme, _ address: MappedAddress, _ rest: Range<Int>, of bytes: Span<UInt8>,
        _ text: Span<UInt8>, authority: Span<UInt8>, client: ClientName, to out: inout Buffer
    ) -> Outcome {
        let mark = out.count
        guard append(scheme, client: client, to: &out),
            address.clientHost.isEmpty
                ? out.appendWhole(authority)
                : appendHost(of: address, text, authority: authority, client: client, to: &out)
                    && out.appendWhole(authority.extracting(client.port(authority))),
            out.appendWhole(bytes.extracting(rest))
        else {
            out.truncate(to: mark)
            return .noRoom
        }
        return .appended
    }

    /// A path from the root without the own origin's base path.
    private func appendPath(
        _ range: Range<Int>, through end: Int, of bytes: Span<UInt8>, _ text: Span<UInt8>, authority: Span<UInt8>,
        client: ClientName, to out: inout Buffer
    ) -> Outcome {
        let own = addresses[0]
        guard !own.basePath.isEmpty, let rest = rest(of: bytes, range, below: own, text) else { return .foreign }
        let mark = out.count
        var isWritten = true
        if rest == range.upperBound || bytes[rest] != 0x2F {
            // Without a slash it would stand for the page that it is found on.
            isWritten = out.appendWhole("/")
        } else if rest &+ 1 < range.upperBound, isSlashToSome(bytes[rest &+ 1]) {
            // What is left would begin like another host, `//evil.test`.
            isWritten =
                out.appendWhole(client.isSecure ? "https://" : "http://") && out.appendWhole(authority)
        }
        guard isWritten, out.appendWhole(bytes.extracting(rest..<end)) else {
            out.truncate(to: mark)
            return .noRoom
        }
        return .appended
    }

    /// Browsers take a backslash for a slash, and tabs for nothing.
    private func isSlashToSome(_ byte: UInt8) -> Bool { byte == 0x2F || byte == 0x5C || byte <= 0x20 }

    /// Where that begins which the client knows; nil if it is not below the origin's base path.
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

    func append(_ scheme: AddressReference.Scheme, client: ClientName, to out: inout Buffer) -> Bool {
        switch scheme {
        case .inherited: out.appendWhole("//")
        case .http, .https: out.appendWhole(client.isSecure ? "https://" : "http://")
        case .ws, .wss: out.appendWhole(client.isSecure ? "wss://" : "ws://")
        }
    }

    /// The host that the client knows, with its label.
    func appendHost(
        of address: MappedAddress, _ text: Span<UInt8>, authority: Span<UInt8>, client: ClientName,
        to out: inout Buffer
    ) -> Bool {
        address.clientHost.isEmpty
            ? out.appendWhole(authority.extracting(client.host(authority)))
            : out.appendWhole(authority.extracting(client.label(authority)))
                && out.appendWhole(text.extracting(address.clientHost))
    }
}
