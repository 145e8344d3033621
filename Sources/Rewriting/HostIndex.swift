import Bytes
import Platform

/// Hosts in the order of their bytes, so that those which a text begins with are found by narrowing.
///
/// The bytes lie elsewhere, in lower case; each call is given them.
struct HostIndex: Sendable {
    /// Sorted, each once.
    private let hosts: ContiguousArray<Range<Int>>
    /// One bit for each ASCII byte that a host begins with.
    private let low: UInt64
    private let high: UInt64

    var count: Int { hosts.count }

    /// - Parameter places: for each of the ranges, which of the hosts it is; -1 for an empty one.
    init(_ ranges: [Range<Int>], in text: ContiguousArray<UInt8>, places: inout [Int]) {
        var sorted: ContiguousArray<Range<Int>> = []
        places = Array(repeating: -1, count: ranges.count)
        text.withUnsafeBytes { text in
            func order(_ one: Range<Int>, _ other: Range<Int>) -> CInt {
                guard let base = text.baseAddress else { return 0 }
                let order = memcmp(base + one.lowerBound, base + other.lowerBound, min(one.count, other.count))
                return order == 0 ? CInt(clamping: one.count - other.count) : order
            }
            let filled = ranges.indices.filter { !ranges[$0].isEmpty }
            for at in filled.sorted(by: { order(ranges[$0], ranges[$1]) < 0 }) {
                if sorted.last.map({ order($0, ranges[at]) }) != 0 { sorted.append(ranges[at]) }
                places[at] = sorted.count - 1
            }
        }
        hosts = sorted
        var bits: (low: UInt64, high: UInt64) = (0, 0)
        for byte in sorted.map({ text[$0.lowerBound] }) where byte < 0x80 {
            if byte < 64 { bits.low |= 1 &<< UInt64(byte) } else { bits.high |= 1 &<< UInt64(byte & 63) }
        }
        (low, high) = bits
    }

    /// Whether a host may begin with this byte.
    @inline(__always)
    func mayBegin(with byte: UInt8) -> Bool {
        let byte = ByteSearch.lowercased(byte)
        return byte < 0x80 && ((byte < 64 ? low : high) &>> UInt64(byte & 63)) & 1 == 1
    }

    /// The host that a range spells, in any case.
    func index(of range: Range<Int>, in bytes: Span<UInt8>, _ text: Span<UInt8>) -> Int? {
        guard let first = range.first, mayBegin(with: bytes[first]) else { return nil }
        var search = Search(self, range)
        while let found = search.next(self, bytes, text) {
            if found.end == range.upperBound { return found.host }
        }
        return nil
    }

    /// Where a host ends that an authority begins with; nil if it names none of them, or an IPv6 address.
    func end(in bytes: Span<UInt8>, _ range: Range<Int>, _ text: Span<UInt8>) -> Int? {
        let first = bytes[range.lowerBound]
        guard mayBegin(with: first), first != 0x5B else { return nil }
        var search = Search(self, range)
        while let found = search.next(self, bytes, text) {
            // A dot may end a host, too, but not one in front of another label.
            let hasDot = found.end < range.upperBound && bytes[found.end] == 0x2E
            let next = hasDot ? found.end &+ 1 : found.end
            if next == range.upperBound || bytes[next] == 0x3A || AddressReference.endsAuthority(bytes[next]) {
                return found.end
            }
        }
        return nil
    }

    /// A walk through the hosts that a text begins with, shorter ones first.
    struct Search {
        private var fitting: Range<Int>
        private var at: Int
        private let start: Int
        private let end: Int

        init(_ index: HostIndex, _ range: Range<Int>) {
            fitting = 0..<index.hosts.count
            (at, start, end) = (range.lowerBound, range.lowerBound, range.upperBound)
        }

        /// The text has ended within a host: known once ``next(_:_:_:)`` returned nil.
        var breaksOff: Bool { !fitting.isEmpty }

        /// The next host, and where it ends in the text.
        mutating func next(
            _ index: HostIndex, _ bytes: Span<UInt8>, _ text: Span<UInt8>
        ) -> (host: Int, end: Int)? {
            while !fitting.isEmpty {
                let length = at &- start
                if index.hosts[fitting.lowerBound].count == length {
                    defer { fitting = fitting.lowerBound &+ 1..<fitting.upperBound }
                    return (fitting.lowerBound, at)
                }
                guard at < end else { return nil }
                let byte = ByteSearch.lowercased(bytes[at])
                at &+= 1
                let first = index.first(fitting, text) { text, host in text[host.lowerBound &+ length] >= byte }
                fitting =
                    first..<index.first(first..<fitting.upperBound, text) { text, host in
                        text[host.lowerBound &+ length] > byte
                    }
            }
            return nil
        }
    }

    /// The first host of a range for which the condition holds, as it does for all behind it.
    @inline(__always)
    private func first(
        _ range: Range<Int>, _ text: Span<UInt8>, where holds: (Span<UInt8>, Range<Int>) -> Bool
    ) -> Int {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = (low &+ high) / 2
            if holds(text, hosts[middle]) { high = middle } else { low = middle &+ 1 }
        }
        return low
    }
}
