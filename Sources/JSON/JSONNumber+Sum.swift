extension JSONNumber {
    /// The sum of both, with as many digits behind the point as the longer one has; nil where it has over 18 digits.
    ///
    /// Numbers with an exponent are added as Doubles.
    public func adding(_ other: JSONNumber) -> JSONNumber? {
        guard let one = scaled, let two = other.scaled else {
            let hasExponent = [json, other.json].contains { $0.utf8.contains { $0 | 0x20 == UInt8(ascii: "e") } }
            guard hasExponent, let one = double, let two = other.double, (one + two).isFinite else { return nil }
            return JSONNumber(text: "\(one + two)", json: "\(one + two)")
        }
        let scale = max(one.scale, two.scale)
        guard let left = Self.raised(one.value, by: scale - one.scale),
            let right = Self.raised(two.value, by: scale - two.scale)
        else { return nil }
        let (sum, isTooLarge) = left.addingReportingOverflow(right)
        guard !isTooLarge else { return nil }
        var digits = String(sum.magnitude)
        digits = String(repeating: "0", count: max(0, scale + 1 - digits.utf8.count)) + digits
        let text = (sum < 0 ? "-" : "") + digits.dropLast(scale) + (scale > 0 ? "." + digits.suffix(scale) : "")
        return JSONNumber(text: text, json: text)
    }

    /// The number as a whole one that is divided by a power of ten; nil for one with an exponent, or too many digits.
    private var scaled: (value: Int64, scale: Int)? {
        let parts = json.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let digits = parts.map { String(decoding: $0, as: UTF8.self) }.joined()
        return Int64(digits).map { ($0, parts.count > 1 ? parts[1].count : 0) }
    }

    private static func raised(_ value: Int64, by power: Int) -> Int64? {
        var value = value
        for _ in 0..<min(power, 19) {
            let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            guard !isTooLarge else { return nil }
            value = product
        }
        return value
    }
}
