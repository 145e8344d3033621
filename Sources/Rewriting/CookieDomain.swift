/// How a cookie's Domain is changed on the way from an origin to a client (RFC 6265bis 5.6.3).
enum CookieDomain {
    enum Outcome {
        /// Unchanged: a client refuses or accepts it as it would the origin's.
        case same
        /// Host-only from now on.
        case leftOut
        /// This range of the authority.
        case replaced(Range<Int>)
    }

    private enum Relation {
        case none, same
        /// So many bytes of the origin's host stand in front of the domain and its dot.
        case parent(Int)
    }

    static func outcome(
        of value: Range<Int>, in bytes: Span<UInt8>, own: AddressMap, authority: Span<UInt8>, client: ClientName
    ) -> Outcome {
        var domain = value
        if !domain.isEmpty, bytes[domain.lowerBound] == 0x2E { domain = domain.lowerBound + 1..<domain.upperBound }
        guard !domain.isEmpty, client.labelLength >= 0, client.labelLength <= client.hostLength,
            client.hostLength <= authority.count
        else { return .same }
        let front: Int?
        let (text, known) = (own.text, own.own.host)
        switch relation(of: domain, in: bytes, to: text, known) {
        case .none: return .same
        case .same: front = nil
        case .parent(let length): front = length
        }
        let host = 0..<client.hostLength
        guard AddressText.first(0x2E, authority, host) < host.upperBound, labels(in: authority, host) > 1,
            !isAddress(authority, host)
        else { return .leftOut }
        // A client that names an environment, as in `staging--api.shop.test`, takes no cookie for `api.shop.test`,
        // which is a host of its own: the label stays.
        guard let front else { return replaced(by: host, of: authority, domain, in: bytes) }
        let start = client.labelLength + front
        guard start < client.hostLength, authority[start] == 0x2E,
            AddressText.isSame(
                authority, client.labelLength..<start, text, known.lowerBound..<known.lowerBound + front),
            labels(in: authority, start + 1..<client.hostLength) > 1
        else { return .leftOut }
        return replaced(by: start + 1..<client.hostLength, of: authority, domain, in: bytes)
    }

    /// How many labels there are; 0 for what is no domain name.
    static func labels(in bytes: Span<UInt8>, _ host: Range<Int>) -> Int {
        var count = 1
        var previous: UInt8 = 0x2E
        for index in host {
            if bytes[index] == 0x2E {
                guard previous != 0x2E else { return 0 }
                count += 1
            }
            previous = bytes[index]
        }
        return previous == 0x2E ? 0 : count
    }

    /// An IP literal: in brackets, or with a number as its last label (the URL standard's host parser).
    static func isAddress(_ bytes: Span<UInt8>, _ host: Range<Int>) -> Bool {
        guard let first = host.first, bytes[first] != 0x5B else { return true }
        var start = host.upperBound
        while start > host.lowerBound, bytes[start - 1] != 0x2E { start -= 1 }
        for index in start..<host.upperBound where bytes[index] &- 0x30 >= 10 {
            return index == start + 1 && bytes[start] == 0x30 && bytes[index] | 0x20 == 0x78
        }
        return true
    }

    private static func relation(
        of domain: Range<Int>, in bytes: Span<UInt8>, to text: Span<UInt8>, _ host: Range<Int>
    ) -> Relation {
        let front = host.count - domain.count
        guard front >= 0,
            AddressText.isSame(bytes, domain, text, host.lowerBound + front..<host.upperBound)
        else { return .none }
        if front == 0 { return .same }
        guard front > 1, text[host.lowerBound + front - 1] == 0x2E,
            AddressText.first(0x3A, text, host) == host.upperBound, !endsInNumber(text, host)
        else { return .none }
        return .parent(front - 1)
    }

    private static func endsInNumber(_ text: Span<UInt8>, _ host: Range<Int>) -> Bool {
        for index in host.reversed() where text[index] &- 0x30 >= 10 { return text[index] == 0x2E }
        return true
    }

    private static func replaced(
        by range: Range<Int>, of authority: Span<UInt8>, _ domain: Range<Int>, in bytes: Span<UInt8>
    ) -> Outcome {
        guard range.count == domain.count else { return .replaced(range) }
        return AddressText.isSame(authority, range, bytes, domain) ? .same : .replaced(range)
    }
}
