/// What is known of an address in a body.
enum AddressVerdict {
    case foreign
    /// It begins here, and more bytes have to come.
    case undecided(from: Int)
    case match(AddressMatch)
}

/// An address of an origin.
struct AddressMatch {
    let head: AddressHead
    /// Where what it is replaced by ends: behind the port or the base path.
    let end: Int
    /// Which of the table's entries.
    let entry: Int
}

extension AddressTable {
    /// Whether what follows the slashes is one of the origins, by the longest base path; then by its port.
    ///
    /// - Parameter least: the address does not begin before it.
    func judge(_ bytes: Span<UInt8>, _ slashes: Slashes, least: Int, isAtEnd: Bool) -> AddressVerdict {
        let start = slashes.range.upperBound
        if start < bytes.count {
            // Nearly all of them end here.
            guard mayBegin(with: bytes[start]) else { return .foreign }
        } else if isAtEnd {
            return .foreign
        }
        guard entries.contains(where: { $0.hostEnd(bytes, start) != nil }),
            let head = AddressHead(bytes, slashes, least: least)
        else { return .foreign }
        var best: (entry: Int, end: Int, rank: Int)?
        for (index, entry) in entries.enumerated() {
            switch entry.hostEnd(bytes, start) {
            case nil: continue
            case .some(let end) where end > bytes.count:
                if !isAtEnd { return .undecided(from: head.start) }
            case .some(let end):
                var cursor = AddressCursor(position: end, form: slashes.form, isAtEnd: isAtEnd)
                switch entry.follow(bytes, &cursor, head.scheme) {
                case .no: continue
                case .unknown: return .undecided(from: head.start)
                case .yes(let isExact):
                    let rank = 2 * entry.basePath.count + (isExact ? 1 : 0)
                    if rank > best?.rank ?? -1 { best = (index, cursor.position, rank) }
                }
            }
        }
        guard let best else { return .foreign }
        return .match(AddressMatch(head: head, end: best.end, entry: best.entry))
    }
}

extension AddressTable.Entry {
    fileprivate enum Answer {
        case no, unknown
        /// - Parameter isExact: the port is the origin's, not just another default.
        case yes(isExact: Bool)
    }

    /// Where the host ends, beyond the bytes if they break off in it; nil if it is another.
    fileprivate func hostEnd(_ bytes: Span<UInt8>, _ start: Int) -> Int? {
        let there = min(host.count, bytes.count - start)
        for offset in 0..<there where small(bytes[start + offset]) != host[offset] { return nil }
        return start + host.count
    }

    /// Reads port and base path.
    fileprivate func follow(
        _ bytes: Span<UInt8>, _ cursor: inout AddressCursor, _ scheme: AddressHead.Scheme?
    ) -> Answer {
        let named: UInt16?
        switch cursor.readPort(bytes) {
        case .no: return .no
        case .unknown: return .unknown
        case .implied: named = scheme?.port
        case .port(let port): named = port
        }
        let isExact = named == port
        guard isExact || isOnDefaultPort && (named == nil || named == 80 || named == 443) else { return .no }
        switch cursor.skipPath(bytes, basePath) {
        case .no: return .no
        case .unknown: return .unknown
        case .yes: return .yes(isExact: isExact)
        }
    }
}
