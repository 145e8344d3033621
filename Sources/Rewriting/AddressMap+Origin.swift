public import Bytes

extension AddressMap {
    /// Appends what a request says of an address as the origin is to see it.
    ///
    /// - Parameters:
    ///   - range: where it lies in `bytes`, without white space around it.
    ///   - authority: the request's, as the client sent it.
    public func appendForOrigin(
        _ form: Form, _ range: Range<Int>, of bytes: Span<UInt8>, authority: Span<UInt8>, client: ClientName,
        to out: inout Buffer
    ) -> Outcome {
        appendForOrigin(
            form, range, through: range.upperBound, of: bytes, authority: authority, client: client, to: &out)
    }

    /// The same with what follows the address up to `last`, which goes on as it is.
    @inline(__always)
    func appendForOrigin(
        _ form: Form, _ range: Range<Int>, through last: Int, of bytes: Span<UInt8>, authority: Span<UInt8>,
        client: ClientName, to out: inout Buffer
    ) -> Outcome {
        guard let first = range.first, !authority.isEmpty else { return .foreign }
        let text = text
        if bytes[first] == 0x2F {
            return form == .reference ? appendPath(range, through: last, of: bytes, text, to: &out) : .foreign
        }
        guard let (end, index) = find(range, of: bytes, text, authority: authority, client: client),
            form != .origin || end == range.upperBound
        else { return .foreign }
        let prefix = addresses[index].prefix.lowerBound
        let upper = form == .origin ? addresses[index].prefix.upperBound : addresses[index].basePath.upperBound
        let mark = out.count
        guard out.appendWhole(text.extracting(prefix..<upper)),
            out.appendWhole(bytes.extracting(end..<last))
        else {
            out.truncate(to: mark)
            return .noRoom
        }
        return .appended
    }

    /// Whether a client's origin is that one of ours which an answer names.
    func isOrigin(
        _ page: Range<Int>, of requestBytes: Span<UInt8>, _ value: Range<Int>, of bytes: Span<UInt8>,
        authority: Span<UInt8>, client: ClientName
    ) -> Bool {
        guard !authority.isEmpty else { return false }
        let text = text
        // Cheaper than to read the page's: most answers name other origins, or `*`.
        guard addresses.indices.contains(where: { AddressText.isEqual(bytes, value, text, addresses[$0].prefix) }),
            let (end, index) = find(page, of: requestBytes, text, authority: authority, client: client)
        else { return false }
        return end == page.upperBound && AddressText.isEqual(bytes, value, text, addresses[index].prefix)
    }

    /// Where a client's URL goes on behind its authority, and which of the addresses it means.
    @inline(__always)
    private func find(
        _ range: Range<Int>, of bytes: Span<UInt8>, _ text: Span<UInt8>, authority: Span<UInt8>, client: ClientName
    ) -> (end: Int, index: Int)? {
        guard AddressText.hasPrefix(bytes, range, client.isSecure ? "https://" : "http://") else { return nil }
        let start = range.lowerBound &+ (client.isSecure ? 8 : 7)
        let end = start &+ authority.count
        if end <= range.upperBound, AddressText.isEqual(bytes, start..<end, authority, 0..<authority.count),
            end == range.upperBound || AddressReference.endsAuthority(bytes[end]),
            AddressReference.isAuthority(authority)
        {
            return (end, 0)
        }
        return find(start..<range.upperBound, behindScheme: bytes, text, authority: authority, client: client)
    }

    /// The same for what is spelled in another way, or names another host.
    @inline(never)
    private func find(
        _ range: Range<Int>, behindScheme bytes: Span<UInt8>, _ text: Span<UInt8>, authority: Span<UInt8>,
        client: ClientName
    ) -> (end: Int, index: Int)? {
        let scheme: AddressReference.Scheme = client.isSecure ? .https : .http
        guard let own = AddressReference(scheme, authority, 0..<authority.count),
            let reference = AddressReference(scheme, bytes, range), !reference.takesAnyPort,
            own.effectivePort(isTLS: client.isSecure) == reference.effectivePort(isTLS: client.isSecure),
            let index = index(of: reference, bytes, text, authority: authority, own, client: client)
        else { return nil }
        return (reference.end, index)
    }

    /// A path from the root with the own origin's base path in front.
    private func appendPath(
        _ range: Range<Int>, through last: Int, of bytes: Span<UInt8>, _ text: Span<UInt8>, to out: inout Buffer
    ) -> Outcome {
        let base = addresses[0].basePath
        guard !base.isEmpty, range.count == 1 || bytes[range.lowerBound &+ 1] != 0x2F else { return .foreign }
        let mark = out.count
        guard out.appendWhole(text.extracting(base)),
            out.appendWhole(bytes.extracting(range.lowerBound..<last))
        else {
            out.truncate(to: mark)
            return .noRoom
        }
        return .appended
    }

    /// Whom a client's URL means: who answers this request, or who answers for another host under the same label.
    private func index(
        of reference: AddressReference, _ bytes: Span<UInt8>, _ text: Span<UInt8>, authority: Span<UInt8>,
        _ own: AddressReference, client: ClientName
    ) -> Int? {
        if AddressText.isSame(bytes, reference.host, authority, own.host) { return 0 }
        let label = client.label(authority)
        let start = reference.host.lowerBound
        guard reference.host.count > label.count,
            AddressText.isSame(bytes, start..<start &+ label.count, authority, label)
        else { return nil }
        let host = start &+ label.count..<reference.host.upperBound
        for index in addresses.indices where !addresses[index].clientHost.isEmpty {
            var known = addresses[index].clientHost
            if text[known.lowerBound] == 0x5B {
                guard label.isEmpty else { continue }
                known = known.lowerBound &+ 1..<known.upperBound &- 1
            }
            if AddressText.isSame(bytes, host, text, known) { return index }
        }
        return nil
    }
}
