extension Arguments {
    func port(_ name: String) throws(UsageError) -> UInt16? {
        guard let text = text(name) else { return nil }
        guard let port = UInt16(text) else {
            throw UsageError("--\(name) “\(text)” is no port", advice: "Give a number from 0 (any free port) to 65535.")
        }
        return port
    }

    func count(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = text(name) else { return nil }
        guard let count = Int(text), range.contains(count) else {
            throw UsageError(
                "--\(name) “\(text)” is not possible",
                advice: "Give a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return count
    }

    /// Nanoseconds.
    func duration(_ name: String, mayBeZero: Bool = false) throws(UsageError) -> UInt64? {
        guard let text = text(name) else { return nil }
        guard let duration = Quantity.duration(text), mayBeZero || duration > 0 else {
            throw UsageError(
                "--\(name) “\(text)” is no \(mayBeZero ? "" : "possible ")time",
                advice: "Write a number with its unit: 500ms, 15s, 2m or 1h.")
        }
        return duration
    }

    /// Bytes.
    func size(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = text(name) else { return nil }
        guard let size = Quantity.size(text), range.contains(size) else {
            let bounds = "from \(Quantity.sizeText(range.lowerBound)) to \(Quantity.sizeText(range.upperBound))"
            throw UsageError("--\(name) “\(text)” is no possible size", advice: "Write bytes, or 16k, 1m; \(bounds).")
        }
        return size
    }
}

/// Times and sizes as people write them.
enum Quantity {
    private static let units: [(suffix: String, nanoseconds: UInt64)] = [
        ("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000), ("h", 3_600_000_000_000),
    ]

    /// Nanoseconds of `500ms`, `1.5s`, `2m`, `1h`; nil without a unit, for nobody can guess it.
    static func duration(_ text: String) -> UInt64? {
        for unit in units where text.hasSuffix(unit.suffix) {
            let number = text.dropLast(unit.suffix.count)
            guard !number.isEmpty, number.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
                let value = Double(number), value <= 1_000_000
            else { continue }
            return UInt64(value * Double(unit.nanoseconds))
        }
        return nil
    }

    static func durationText(_ nanoseconds: UInt64) -> String {
        for unit in units.reversed() where nanoseconds >= unit.nanoseconds && nanoseconds % unit.nanoseconds == 0 {
            return "\(nanoseconds / unit.nanoseconds)\(unit.suffix)"
        }
        return "\(nanoseconds / 1_000_000)ms"
    }

    /// Bytes of `4096`, `64k`, `2m`; units are powers of 1024.
    static func size(_ text: String) -> Int? {
        var digits = text.lowercased()[...]
        var shift = 0
        if digits.hasSuffix("k") { shift = 10 } else if digits.hasSuffix("m") { shift = 20 }
        if shift > 0 { digits.removeLast() }
        guard let number = UInt32(digits) else { return nil }
        return Int(number) << shift
    }

    static func sizeText(_ bytes: Int) -> String {
        if bytes >= 1 << 20, bytes % (1 << 20) == 0 { return "\(bytes >> 20)m" }
        if bytes >= 1 << 10, bytes % (1 << 10) == 0 { return "\(bytes >> 10)k" }
        return "\(bytes)"
    }
}
