package import Bytes

extension AddressMap {
    /// Puts what a request says of an address as the origin is to see it; false if it does not fit.
    ///
    /// - Parameters:
    ///   - range: where it lies in `bytes`, without white space around it.
    ///   - authority: the request's, as the client sent it.
    @inline(__always)
    func rewriteForOrigin(
        _ form: Form, _ range: Range<Int>, of bytes: Span<UInt8>, authority: Span<UInt8>, client: ClientName,
        in copy: inout HeadCopy, to out: inout Buffer
    ) -> Bool {
        guard let (end, front) = findForOrigin(form, range, of: bytes, text, authority: authority, client: client)
        else { return true }
        return copy.replace(range.lowerBound..<end, of: bytes, by: text, front, to: &out)
    }

    /// Appends an address of a request as the origin is to see it.
    package func appendForOrigin(
        _ form: Form, _ range: Range<Int>, of bytes: Span<UInt8>, authority: Span<UInt8>, client: ClientName,
        to out: inout Buffer
    ) -> Outcome {
        guard let (end, front) = findForOrigin(form, range, of: bytes, text, authority: authority, client: client)
        else { return .foreign }
        let mark = out.count
        guard out.appendWhole(text.extracting(front)), out.appendWhole(bytes.extracting(end..<range.upperBound))
        else {
            out.truncate(to: mark)
            return .noRoom
        }
        return .appended
    }

    /// Up to where the origin knows an address in another way, and in which one, as a range of the map's bytes.
    @inline(__always)
    private func findForOrigin(
        _ form: Form, _ range: Range<Int>, of bytes: Span<UInt8>, _ text: Span<UInt8>, authority: Span<UInt8>,
        client: ClientName
    ) -> (end: Int, front: Range<Int>)? {
        guard let first = range.first, !authority.isEmpty else { return nil }
        if bytes[first] == 0x2F {
            // A path from the root gains the own origin's base path.
            guard form == .reference, hasBasePath, range.count == 1 || bytes[first &+ 1] != 0x2F else { return nil }
            return (first, addresses[0].basePath)
        }
        guard let (end, index) = find(range, of: bytes, text, authority: authority, client: client),
            form != .origin || end == range.upperBound
        else { return nil }
        let (prefix, base) = (addresses[index].prefix, addresses[index].basePath)
        return (end, prefix.lowerBound..<(form == .origin ? prefix.upperBound : base.upperBound))
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
