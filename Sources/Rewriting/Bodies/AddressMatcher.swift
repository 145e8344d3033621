/// The state of an address in a body.
enum AddressVerdict {
    case foreign
    /// It begins here, and more bytes have to come.
    case undecided(from: Int)
    case match(AddressMatch)
}

/// An address of an origin.
struct AddressMatch {
    let head: AddressHead
    /// The end of the replaced part: behind the port or the base path.
    let end: Int
    /// Which of the map's addresses.
    let address: Int
}

extension AddressTable {
    /// Whether what follows the slashes is one of the origins, by the longest base path; then by its port.
    ///
    /// - Parameter minimum: the address does not begin before it.
    func judge(_ bytes: Span<UInt8>, _ slashes: Slashes, minimum: Int, isAtEnd: Bool) -> AddressVerdict {
        let hosts = map.book.hosts
        let start = slashes.range.upperBound
        if start < bytes.count {
            // Nearly all of them end here.
            guard hosts.mayBegin(with: bytes[start]) else { return .foreign }
        } else if isAtEnd {
            return .foreign
        }
        let text = map.text
        var search = HostIndex.Search(hosts, start..<bytes.count)
        var head: AddressHead?
        var best: (address: Int, end: Int, rank: Int)?
        func consider(_ index: Int, from position: Int, _ head: AddressHead) -> Bool {
            let address = map.address(index)
            var cursor = AddressCursor(position: position, form: slashes.form, isAtEnd: isAtEnd)
            switch address.follow(bytes, &cursor, head.scheme, text) {
            case .no: return true
            case .unknown: return false
            case .yes(let isExact):
                let rank = 2 * address.basePath.count + (isExact ? 1 : 0)
                if rank > best?.rank ?? -1 { best = (index, cursor.position, rank) }
                return true
            }
        }
        while let (host, end) = search.next(hosts, bytes, text) {
            guard let known = head ?? AddressHead(bytes, slashes, minimum: minimum) else { return .foreign }
            head = known
            if host == map.ownHost, !consider(0, from: end, known) { return .undecided(from: known.start) }
            for index in map.book.addresses(of: host) where !consider(Int(index) + 1, from: end, known) {
                return .undecided(from: known.start)
            }
        }
        if search.breaksOff, !isAtEnd {
            guard let head = head ?? AddressHead(bytes, slashes, minimum: minimum) else { return .foreign }
            return .undecided(from: head.start)
        }
        guard let best, let head else { return .foreign }
        return .match(AddressMatch(head: head, end: best.end, address: best.address))
    }
}

extension MappedAddress {
    fileprivate enum Verdict {
        case no, unknown
        /// - Parameter isExact: the port is the origin's, not just another default.
        case yes(isExact: Bool)
    }

    /// Reads port and base path behind the host.
    fileprivate func follow(
        _ bytes: Span<UInt8>, _ cursor: inout AddressCursor, _ scheme: AddressHead.Scheme?, _ text: Span<UInt8>
    ) -> Verdict {
        let named: UInt16?
        switch cursor.readPort(bytes) {
        case .no: return .no
        case .unknown: return .unknown
        case .implied: named = scheme?.port
        case .port(let port): named = port
        }
        let isExact = named == port
        guard isExact || hasDefaultPort && (named == nil || named == 80 || named == 443) else { return .no }
        switch cursor.skipPath(bytes, text.extracting(basePath)) {
        case .no: return .no
        case .unknown: return .unknown
        case .yes: return .yes(isExact: isExact)
        }
    }
}
