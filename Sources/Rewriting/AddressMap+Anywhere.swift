internal import Bytes
internal import HTTP
internal import Synchronization

// Addresses that stand anywhere in a field: in its query, in quotes, or in front of other text.
extension AddressMap {
    /// Location and Content-Location, with the addresses in their query; those of a URL that leads elsewhere stay, since
    /// another server may have to find them as they were registered there.
    func rewriteLocation(_ value: Range<Int>, in copy: inout HeadCopy, to out: inout Buffer) -> Bool {
        guard rewriteForClient(.reference, value, in: &copy, to: &out) else { return false }
        let query = query(of: value, copy.bytes)
        guard !query.isEmpty, !copy.authority.isEmpty,
            copy.isChanged || AddressReference(copy.bytes, value) == nil
        else { return true }
        return forClient(copy.authority, copy.client).rewrite(query, in: &copy, to: &out)
    }

    /// Referer, with the addresses in its query.
    func rewriteReferer(_ value: Range<Int>, in copy: inout HeadCopy, to out: inout Buffer) -> Bool {
        guard rewriteForOrigin(.url, value, in: &copy, to: &out) else { return false }
        let query = query(of: value, copy.bytes)
        guard !query.isEmpty, copy.isChanged else { return true }
        return forOrigin(copy.authority, copy.client).rewrite(query, in: &copy, to: &out)
    }

    /// A response's field of any meaning.
    @inline(__always)
    func rewriteAny(_ field: Field, in copy: inout HeadCopy, to out: inout Buffer) -> Bool {
        guard AddressTable.mayHold(copy.bytes, field.value) else { return true }
        return rewriteFound(field, in: &copy, to: &out, isRequest: false)
    }

    /// The same for a request's.
    @inline(__always)
    func rewriteAny(request field: Field, in copy: inout HeadCopy, to out: inout Buffer) -> Bool {
        guard AddressTable.mayHold(copy.bytes, field.value) else { return true }
        return rewriteFound(field, in: &copy, to: &out, isRequest: true)
    }

    @inline(never)
    private func rewriteFound(
        _ field: Field, in copy: inout HeadCopy, to out: inout Buffer, isRequest: Bool
    ) -> Bool {
        let name = copy.bytes.extracting(field.name)
        // RFC 9421: what they list is signed as it is.
        guard !copy.authority.isEmpty, !name.isText("signature", in: 0..<name.count),
            !name.isText("signature-input", in: 0..<name.count)
        else { return true }
        let table =
            isRequest ? forOrigin(copy.authority, copy.client) : forClient(copy.authority, copy.client)
        return table.rewrite(field.value, in: &copy, to: &out)
    }

    /// The query of a URL where an address may stand in it, else nothing.
    private func query(of value: Range<Int>, _ bytes: Span<UInt8>) -> Range<Int> {
        let query = AddressText.first(0x3F, bytes, value)..<value.upperBound
        return AddressTable.mayHold(bytes, query) ? query : value.upperBound..<value.upperBound
    }

    private func forClient(_ authority: Span<UInt8>, _ client: ClientName) -> AddressTable {
        AddressTable(map: self, authority: authority.copied, client: client)
    }

    /// The client's addresses, with those of origins that take their place.
    func forOrigin(_ authority: Span<UInt8>, _ client: ClientName) -> AddressTable {
        let authority = authority.copied
        if let known = lastForOrigin.withLockIfAvailable({ $0 }), let known, known.isFor(authority, client) {
            return known
        }
        let table = AddressTable(forOriginsOf: self, authority: authority, client: client)
        _ = lastForOrigin.withLockIfAvailable { $0 = table }
        return table
    }
}

extension AddressTable {
    /// Whether an address may stand in a range.
    @inline(__always)
    static func mayHold(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        range.count > 8
            && Slashes.next(in: bytes.extracting(0..<range.upperBound), from: range.lowerBound)
                < range.upperBound
    }

    /// Replaces the addresses in a part of a head; false if they do not fit.
    ///
    /// Encoded ones within a URL that leads elsewhere stay.
    func rewrite(_ range: Range<Int>, in copy: inout HeadCopy, to out: inout Buffer) -> Bool {
        let bytes = copy.bytes.extracting(0..<range.upperBound)
        var (index, minimum, leadsElsewhere) = (range.lowerBound, range.lowerBound, false)
        var text: [UInt8] = []
        while true {
            index = Slashes.next(in: bytes, from: index)
            guard index < range.upperBound else { return true }
            if let slashes = Slashes(bytes, at: index, minimum: minimum),
                !leadsElsewhere || slashes.form != .percent
            {
                if case .match(let match) = judge(bytes, slashes, minimum: minimum, isAtEnd: true) {
                    text.removeAll(keepingCapacity: true)
                    append(match, of: bytes, to: &text)
                    guard copy.leaveOut(match.head.start..<match.end, to: &out), out.appendWhole(text.span) else {
                        return false
                    }
                    (index, minimum, leadsElsewhere) = (match.end, match.end, false)
                    continue
                }
                if slashes.form != .percent, AddressHead(bytes, slashes, minimum: minimum) != nil {
                    leadsElsewhere = true
                }
            }
            index += 1
        }
    }
}
