/// What becomes of a cookie's Domain on the way from an origin to a client (RFC 6265bis 5.6.3).
enum CookieDomain {
    enum Outcome {
        /// As it is: a client refuses or takes it as it would the origin's.
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
        of value: Range<Int>, in bytes: Span<UInt8>, own: OriginName, authority: Span<UInt8>, client: ClientName
    ) -> Outcome {
        var domain = value
        if !domain.isEmpty, bytes[domain.lowerBound] == 0x2E { domain = domain.lowerBound + 1..<domain.upperBound }
        guard !domain.isEmpty, client.labelLength >= 0, client.labelLength <= client.hostLength,
            client.hostLength <= authority.count
        else { return .same }
        let front: Int?
        switch relation(of: domain, in: bytes, to: own.host) {
        case .none: return .same
        case .same: front = nil
        case .parent(let length): front = length
        }
        let host = 0..<client.hostLength
        guard !isAddress(authority, host), labels(in: authority, host) > 1 else { return .leftOut }
        // A client that names an environment, as in `staging--api.shop.test`, takes no cookie for `api.shop.test`,
        // which is a host of its own: the label stays.
        guard let front else { return replaced(by: host, of: authority, domain, in: bytes) }
        let start = client.labelLength + front
        guard start < client.hostLength, authority[start] == 0x2E,
            isSame(authority, client.labelLength..<start, prefixOf: own.host),
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

    private static func relation(of domain: Range<Int>, in bytes: Span<UInt8>, to host: String) -> Relation {
        var host = host
        // On the stack for a short name, in place for any other.
        return host.withUTF8 { host -> Relation in
            let front = host.count - domain.count
            guard front >= 0 else { return .none }
            for offset in 0..<domain.count
            where CookieText.small(bytes[domain.lowerBound + offset]) != CookieText.small(host[front + offset]) {
                return .none
            }
            if front == 0 { return .same }
            guard front > 1, host[front - 1] == 0x2E, !host.contains(0x3A), !endsInNumber(host) else { return .none }
            return .parent(front - 1)
        }
    }

    private static func endsInNumber(_ host: UnsafeBufferPointer<UInt8>) -> Bool {
        for byte in host.reversed() where byte &- 0x30 >= 10 { return byte == 0x2E }
        return true
    }

    private static func isSame(_ bytes: Span<UInt8>, _ range: Range<Int>, prefixOf host: String) -> Bool {
        var host = host
        return host.withUTF8 { host in
            guard range.count <= host.count else { return false }
            for offset in 0..<range.count
            where CookieText.small(bytes[range.lowerBound + offset]) != CookieText.small(host[offset]) {
                return false
            }
            return true
        }
    }

    private static func replaced(
        by range: Range<Int>, of authority: Span<UInt8>, _ domain: Range<Int>, in bytes: Span<UInt8>
    ) -> Outcome {
        guard range.count == domain.count else { return .replaced(range) }
        for offset in 0..<range.count
        where CookieText.small(authority[range.lowerBound + offset])
            != CookieText.small(bytes[domain.lowerBound + offset])
        { return .replaced(range) }
        return .same
    }
}
