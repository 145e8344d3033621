import Bytes

/// A host with an optional port (RFC 9110 7.2, RFC 3986 3.2), which must fill its range.
struct Authority {
    /// Without an IPv6 literal's brackets; may be empty.
    let host: Range<Int>
    let port: UInt16?

    init(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(HTTPFailure) {
        var index = range.lowerBound
        if index < range.upperBound, bytes[index] == 0x5B {
            let close = Scan.byte(0x5D, in: bytes, from: index, to: range.upperBound)
            guard close < range.upperBound, isIPv6Address(bytes, index + 1..<close) else {
                throw .host(bytes, range, "a valid IPv6 address in brackets")
            }
            host = index + 1..<close
            index = close + 1
        } else {
            index = Scan.skipPlain(in: bytes, from: index, to: range.upperBound)
            while index < range.upperBound, isHostByte(bytes[index]) { index &+= 1 }
            host = range.lowerBound..<index
        }
        guard index < range.upperBound else {
            port = nil
            return
        }
        switch bytes[index] {
        case 0x3A: port = try Authority.port(bytes, index + 1..<range.upperBound, of: range)
        case 0x40: throw .host(bytes, range, "a host without user information")
        default: throw .host(bytes, range, "a host name, without byte \(printable(bytes[index]))")
        }
    }

    /// An empty port is the scheme's own (RFC 3986 3.2.3).
    private static func port(
        _ bytes: Span<UInt8>, _ digits: Range<Int>, of range: Range<Int>
    ) throws(HTTPFailure) -> UInt16? {
        var number = 0
        for index in digits {
            guard Scan.isDigit(bytes[index]) else {
                throw bytes[index] == 0x40
                    ? .host(bytes, range, "a host without user information")
                    : .host(bytes, range, "a port of digits alone")
            }
            number = number &* 10 &+ Int(bytes[index] &- 0x30)
            guard number <= 65535 else { throw .host(bytes, range, "a port of at most 65535") }
        }
        guard !digits.isEmpty else { return nil }
        guard number > 0 else { throw .host(bytes, range, "a port above 0") }
        return UInt16(number)
    }
}

/// The characters of a reg-name (RFC 3986 3.2.2) but for "%" and ",": no host has them, and to some they separate.
@inline(__always)
private func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x61...0x7A, 0x30...0x39, 0x2D, 0x2E, 0x41...0x5A: true  // letters, digits, "-", "."
    case 0x5F, 0x7E, 0x21, 0x24, 0x26...0x2B, 0x3B, 0x3D: true  // "_~" and sub-delims
    default: false
    }
}

/// RFC 3986 3.2.2 IPv6address: eight groups, "::" for at least one of them, an IPv4 address for the last two.
private func isIPv6Address(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    var groups = 0
    var isCompressed = false
    var index = range.lowerBound
    if range.count >= 2, bytes[index] == 0x3A {
        guard bytes[index + 1] == 0x3A else { return false }
        isCompressed = true
        index += 2
    }
    while index < range.upperBound {
        let start = index
        while index < range.upperBound, ByteSearch.hexDigit(bytes[index]) != nil { index += 1 }
        if index < range.upperBound, bytes[index] == 0x2E {
            groups += 2
            return isIPv4Address(bytes, start..<range.upperBound) && (isCompressed ? groups < 8 : groups == 8)
        }
        guard index > start, index - start <= 4 else { return false }
        groups += 1
        if index == range.upperBound { break }
        guard bytes[index] == 0x3A, index + 1 < range.upperBound else { return false }
        index += 1
        if bytes[index] == 0x3A {
            guard !isCompressed else { return false }
            isCompressed = true
            index += 1
        }
    }
    return isCompressed ? groups < 8 : groups == 8
}

private func isIPv4Address(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    var index = range.lowerBound
    for part in 0..<4 {
        if part > 0 {
            guard index < range.upperBound, bytes[index] == 0x2E else { return false }
            index += 1
        }
        let start = index
        var number = 0
        while index < range.upperBound, index - start < 3, Scan.isDigit(bytes[index]) {
            number = number * 10 + Int(bytes[index] &- 0x30)
            index += 1
        }
        guard index > start, number <= 255, index - start == 1 || bytes[start] != 0x30 else { return false }
    }
    return index == range.upperBound
}

extension HTTPFailure {
    @inline(never)
    fileprivate static func host(_ bytes: Span<UInt8>, _ range: Range<Int>, _ expected: String) -> HTTPFailure {
        HTTPFailure(.host, "host \(quoted(bytes, range)) (RFC 9110 7.2: \(expected) was expected)")
    }
}
