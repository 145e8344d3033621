/// The places of an absolute URL's parts (RFC 3986 3); nil for missing ones.
package struct URLParts {
    package private(set) var scheme: Range<Int>?
    /// Without user, brackets and port.
    package private(set) var host: Range<Int>?
    /// The scheme's own if none is written.
    package private(set) var port: Int64?
    package private(set) var path: Range<Int>?
    package private(set) var query: Range<Int>?

    package init(_ bytes: [UInt8], _ place: Range<Int>) {
        var at = place.lowerBound
        if let colon = bytes[place].firstIndex(of: UInt8(ascii: ":")), colon + 2 < place.upperBound,
            bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/")
        {
            let scheme = place.lowerBound..<colon
            self.scheme = scheme
            at = colon + 3
            let end = Self.end(of: bytes, at..<place.upperBound, Self.slash, Self.question, Self.hash)
            readAuthority(bytes, at..<end)
            if port == nil, host != nil { port = Self.standardPort(bytes[scheme]) }
            at = end
        }
        let end = Self.end(of: bytes, at..<place.upperBound, Self.question, Self.hash, Self.hash)
        if at < end { path = at..<end }
        guard end < place.upperBound, bytes[end] == Self.question else { return }
        query = end + 1..<Self.end(of: bytes, end + 1..<place.upperBound, Self.hash, Self.hash, Self.hash)
    }

    /// The host alone, with less work.
    package static func host(_ bytes: [UInt8], _ place: Range<Int>) -> Range<Int>? {
        let colon = end(of: bytes, place, Self.colon, Self.colon, Self.colon)
        guard colon + 2 < place.upperBound, bytes[colon + 1] == slash, bytes[colon + 2] == slash else { return nil }
        let end = end(of: bytes, colon + 3..<place.upperBound, slash, question, hash)
        return authority(bytes, colon + 3..<end).host
    }

    private static func authority(_ bytes: [UInt8], _ place: Range<Int>) -> (host: Range<Int>?, port: Int64?) {
        let user = AddressText.last(UInt8(ascii: "@"), bytes, place)
        return AddressText.split(bytes, (user.map { $0 + 1 } ?? place.lowerBound)..<place.upperBound)
    }

    private mutating func readAuthority(_ bytes: [UInt8], _ place: Range<Int>) {
        (host, port) = Self.authority(bytes, place)
    }

    private static func standardPort(_ scheme: ArraySlice<UInt8>) -> Int64? {
        // https and wss, http and ws.
        switch scheme.count {
        case 5, 3: 443
        case 4, 2: 80
        default: nil
        }
    }

    private static let colon = UInt8(ascii: ":")
    private static let slash = UInt8(ascii: "/")
    private static let question = UInt8(ascii: "?")
    private static let hash = UInt8(ascii: "#")

    private static func end(
        of bytes: [UInt8], _ place: Range<Int>, _ first: UInt8, _ second: UInt8, _ third: UInt8
    ) -> Int {
        var at = place.lowerBound
        while at < place.upperBound {
            let byte = bytes[at]
            if byte == first || byte == second || byte == third { break }
            at += 1
        }
        return at
    }
}

/// `192.0.2.1:80`, `[::1]:80` and the like.
package enum AddressText {
    /// The address without brackets, and the port if there is one.
    package static func split(_ bytes: [UInt8], _ place: Range<Int>) -> (host: Range<Int>?, port: Int64?) {
        guard !place.isEmpty else { return (nil, nil) }
        let first = place.lowerBound
        var host = place
        var behind = place.upperBound
        if bytes[first] == UInt8(ascii: "["), let bracket = bytes[place].firstIndex(of: UInt8(ascii: "]")) {
            host = first + 1..<bracket
            behind = bracket + 1
        } else if let colon = last(UInt8(ascii: ":"), bytes, place) {
            // More than one without brackets is an address alone.
            guard last(UInt8(ascii: ":"), bytes, place.lowerBound..<colon) == nil else { return (place, nil) }
            host = place.lowerBound..<colon
            behind = colon
        }
        guard behind + 1 < place.upperBound, bytes[behind] == UInt8(ascii: ":") else { return (host, nil) }
        var port: Int64 = 0
        for index in behind + 1..<place.upperBound {
            let byte = bytes[index]
            guard byte >= 0x30, byte <= 0x39, port < 100_000 else { return (host, nil) }
            port = port * 10 + Int64(byte - 0x30)
        }
        return (host, port)
    }

    /// Where a byte stands for the last time.
    ///
    /// Not through a slice, which would be counted.
    fileprivate static func last(_ wanted: UInt8, _ bytes: [UInt8], _ place: Range<Int>) -> Int? {
        var at = place.upperBound
        while at > place.lowerBound {
            at -= 1
            if bytes[at] == wanted { return at }
        }
        return nil
    }

    /// The way back.
    package static func joined(_ host: String, _ port: Int64?) -> String {
        guard let port else { return host }
        return host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
