import Bytes

/// An IPv6 address, to bring its many spellings to one.
struct IPv6Address: Hashable {
    private(set) var groups: [UInt16]

    /// Reads RFC 4291 text without brackets; zones (`%eth0`) are no part of a URL's host and are refused.
    init?(_ text: some Collection<UInt8>) {
        var groups: [UInt16] = []
        var gap: Int?
        var parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)[...]
        guard parts.count >= 3, parts.count <= 9 else { return nil }
        // A `::` at an end leaves an empty part too many.
        if parts.first?.isEmpty ?? false {
            parts.removeFirst()
            guard parts.first?.isEmpty ?? false else { return nil }
        }
        if parts.last?.isEmpty ?? false {
            parts.removeLast()
            guard parts.last?.isEmpty ?? false else { return nil }
        }
        let last = parts.endIndex - 1
        for (at, part) in zip(parts.indices, parts) {
            if part.isEmpty {
                guard gap == nil else { return nil }
                gap = groups.count
            } else if at == last, part.contains(UInt8(ascii: ".")) {
                guard let bytes = parseIPv4(part) else { return nil }
                groups.append(UInt16(bytes[0]) << 8 | UInt16(bytes[1]))
                groups.append(UInt16(bytes[2]) << 8 | UInt16(bytes[3]))
            } else {
                guard part.count <= 4, part.allSatisfy({ ByteSearch.hexDigit($0) != nil }) else { return nil }
                groups.append(part.reduce(0) { $0 << 4 | UInt16(ByteSearch.hexDigit($1) ?? 0) })
            }
        }
        if let gap {
            guard groups.count < 8 else { return nil }
            groups.insert(contentsOf: Array(repeating: 0, count: 8 - groups.count), at: gap)
        }
        guard groups.count == 8 else { return nil }
        self.groups = groups
    }

    /// RFC 5952: lower case, no leading zeros, the first longest run of zeros as `::`.
    var text: String {
        var best = 0..<0
        var at = 0
        while at < 8 {
            let end = groups[at...].firstIndex { $0 != 0 } ?? 8
            if end - at > max(best.count, 1) { best = at..<end }
            at = max(end, at + 1)
        }
        func join(_ part: ArraySlice<UInt16>) -> String { part.map { String($0, radix: 16) }.joined(separator: ":") }
        return best.isEmpty
            ? join(groups[...]) : join(groups[..<best.lowerBound]) + "::" + join(groups[best.upperBound...])
    }
}

/// Four decimal numbers with dots, none with a leading zero (some systems would read it as octal).
func parseIPv4(_ text: some Collection<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (number, digits) = (0, 0)
    for character in text {
        if character == UInt8(ascii: ".") {
            guard digits > 0, bytes.count < 3 else { return nil }
            bytes.append(UInt8(number))
            (number, digits) = (0, 0)
            continue
        }
        let digit = character &- UInt8(ascii: "0")
        guard digit < 10, digits == 0 || number > 0 else { return nil }
        (number, digits) = (number * 10 + Int(digit), digits + 1)
        guard number <= 255 else { return nil }
    }
    return digits > 0 && bytes.count == 3 ? bytes + [UInt8(number)] : nil
}
