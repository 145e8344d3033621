package import Bytes

extension AddressMap {
    /// Writes an address in a request as the origin's; false if it does not fit.
    ///
    /// - Parameter range: where it lies, without white space around it.
    func rewriteForOrigin(_ form: Form, _ range: Range<Int>, in copy: inout HeadCopy, to out: inout Buffer) -> Bool {
        guard let (end, front) = findForOrigin(form, range, &copy) else { return true }
        return copy.replace(range.lowerBound..<end, by: text, front, to: &out)
    }

    /// Whether a serialised origin is one of the client's addresses.
    func namesClient(_ range: Range<Int>, in copy: inout HeadCopy) -> Bool {
        findForOrigin(.origin, range, &copy) != nil
    }

    /// Appends an address of a request, rewritten for the origin.
    package func appendForOrigin(
        _ form: Form, _ range: Range<Int>, of bytes: Span<UInt8>, authority: Span<UInt8>, client: ClientName,
        to out: inout Buffer
    ) -> Outcome {
        var copy = HeadCopy(bytes, from: range.lowerBound, authority: authority, client: client)
        guard let (end, front) = findForOrigin(form, range, &copy) else { return .foreign }
        let mark = out.count
        guard out.appendWhole(text.extracting(front)), out.appendWhole(bytes.extracting(end..<range.upperBound))
        else {
            out.truncate(to: mark)
            return .noRoom
        }
        return .appended
    }

    /// The end of the part that is replaced for the origin, and its replacement as a range of the map's bytes.
    @inline(__always)
    private func findForOrigin(
        _ form: Form, _ range: Range<Int>, _ copy: inout HeadCopy
    ) -> (end: Int, front: Range<Int>)? {
        guard let first = range.first, !copy.authority.isEmpty else { return nil }
        if copy.bytes[first] == 0x2F {
            // A path from the root gains the own origin's base path.
            guard form == .reference, hasBasePath, range.count == 1 || copy.bytes[first &+ 1] != 0x2F else {
                return nil
            }
            return (first, own.basePath)
        }
        guard let (end, index) = find(range, &copy), form != .origin || end == range.upperBound else { return nil }
        let (prefix, base) = (address(index).prefix, address(index).basePath)
        return (end, prefix.lowerBound..<(form == .origin ? prefix.upperBound : base.upperBound))
    }

    /// Whether a client's origin, in other bytes, is the one that a response names.
    func isOrigin(
        _ page: Range<Int>, of requestBytes: Span<UInt8>, _ value: Range<Int>, in copy: borrowing HeadCopy
    ) -> Bool {
        guard !copy.authority.isEmpty else { return false }
        let text = text
        // Cheaper than to read the page's: most responses name other origins, or `*`.
        guard let reference = AddressReference(copy.bytes, value), host(of: reference, copy.bytes, text) != nil else {
            return false
        }
        var asked = HeadCopy(requestBytes, from: page.lowerBound, authority: copy.authority, client: copy.client)
        guard let (end, index) = find(page, &asked) else { return false }
        return end == page.upperBound && AddressText.isEqual(copy.bytes, value, text, address(index).prefix)
    }

    /// Where a client's URL goes on behind its authority, and which of the addresses it means.
    @inline(__always)
    private func find(_ range: Range<Int>, _ copy: inout HeadCopy) -> (end: Int, index: Int)? {
        let (bytes, authority, isSecure) = (copy.bytes, copy.authority, copy.client.isSecure)
        guard AddressText.hasPrefix(bytes, range, isSecure ? "https://" : "http://") else { return nil }
        let start = range.lowerBound &+ (isSecure ? 8 : 7)
        let end = start &+ authority.count
        if end <= range.upperBound, AddressText.isEqual(bytes, start..<end, authority, 0..<authority.count),
            end == range.upperBound || AddressReference.endsAuthority(bytes[end]), copy.hasPlainAuthority
        {
            return (end, 0)
        }
        return find(start..<range.upperBound, behindScheme: bytes, text, authority: authority, client: copy.client)
    }

    /// The same for other spellings and other hosts.
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

    /// The origin that a client's URL means: the one of this request, or the one of another host under the same label.
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
        // An IPv6 address has no place for a label.
        if reference.isBracketed, !label.isEmpty { return nil }
        let spelled = reference.isBracketed ? host.lowerBound &- 1..<host.upperBound &+ 1 : host
        return book.address(ofClient: bytes, spelled).map { $0 &+ 1 }
    }
}
