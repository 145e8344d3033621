/// The segments `.` and `..` of paths (RFC 3986 5.2.4).
enum DotSegments {
    /// Whether a path, which begins with a slash, leads out of where it begins.
    static func climb(_ bytes: Span<UInt8>, _ path: Range<Int>) -> Bool {
        var depth = 0
        var index = path.lowerBound
        while index < path.upperBound, isSlash(bytes[index]) {
            let start = index &+ 1
            index = start
            while index < path.upperBound, !isSlash(bytes[index]), !endsPath(bytes[index]) { index &+= 1 }
            switch dots(bytes, start..<index) {
            case 1: break
            case 2: depth &-= 1
            default: depth &+= 1
            }
            if depth < 0 { return true }
        }
        return false
    }

    /// How many dots a segment consists of, `%2e` being one to browsers; 0 if there is something else in it.
    private static func dots(_ bytes: Span<UInt8>, _ segment: Range<Int>) -> Int {
        guard segment.count <= 6 else { return 0 }
        var count = 0
        var index = segment.lowerBound
        while index < segment.upperBound {
            if bytes[index] == 0x2E {
                index &+= 1
            } else if AddressText.hasPrefix(bytes, index..<segment.upperBound, "%2e") {
                index &+= 3
            } else {
                return 0
            }
            count &+= 1
        }
        return count
    }

    private static func isSlash(_ byte: UInt8) -> Bool { byte == 0x2F || byte == 0x5C }

    private static func endsPath(_ byte: UInt8) -> Bool { byte == 0x3F || byte == 0x23 }
}
