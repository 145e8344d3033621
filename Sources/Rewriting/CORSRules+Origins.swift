public import HTTP

extension CORSRules {
    /// The longest value of a request that is echoed.
    static var maxEchoed: Int { 4096 }

    /// Whether pages of that origin, spelled as in an Origin field, are allowed.
    ///
    /// An opaque origin, `null`, must be listed, since any page can have it.
    public func allows(origin: Span<UInt8>) -> Bool {
        guard !origin.isEmpty, origin.count <= Self.maxEchoed else { return false }
        let isOpaque = origin.count == 4 && CookieText.begins(origin, 0..<4, with: "null")
        if origins.isEmpty { return !isOpaque }
        for pattern in origins {
            if pattern == "*" ? !isOpaque : Self.matches(origin, pattern) { return true }
        }
        return false
    }

    /// Whether a request is a preflight (Fetch, CORS-preflight request).
    public static func isPreflight(method: HTTP.Method, names: FieldNameSet) -> Bool {
        method == .options && names.contains(.origin) && names.contains(.accessControlRequestMethod)
    }

    /// A `*.` in front of the host stands for any labels, one at least, and `:*` at the end for any port or none.
    private static func matches(_ origin: Span<UInt8>, _ pattern: String) -> Bool {
        var pattern = pattern
        return pattern.withUTF8 { pattern in
            var end = pattern.count
            var originEnd = origin.count
            if end >= 2, pattern[end - 1] == 0x2A, pattern[end - 2] == 0x3A {
                end -= 2
                var start = originEnd
                while start > 0, origin[start - 1] &- 0x30 < 10 { start -= 1 }
                if start < originEnd, start > 0, origin[start - 1] == 0x3A { originEnd = start - 1 }
            }
            guard let star = pattern[..<end].firstIndex(of: 0x2A) else {
                return end == originEnd && isEqual(origin, 0, pattern, 0..<end)
            }
            let tail = end - star - 1
            guard originEnd - tail > star, isEqual(origin, 0, pattern, 0..<star),
                isEqual(origin, originEnd - tail, pattern, star + 1..<end)
            else { return false }
            for index in star..<originEnd - tail {
                switch origin[index] {
                case 0x2F, 0x3A, 0x40, 0x2A: return false
                default: continue
                }
            }
            return origin[star] != 0x2E
        }
    }

    private static func isEqual(
        _ origin: Span<UInt8>, _ start: Int, _ pattern: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
    ) -> Bool {
        for offset in 0..<range.count where origin[start + offset] != pattern[range.lowerBound + offset] {
            return false
        }
        return true
    }
}
