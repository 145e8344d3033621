/// Times and sizes as people write them, in profiles and on the command line.
package enum Quantity {
    private static let units: [(suffix: String, nanoseconds: UInt64)] = [
        ("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000), ("h", 3_600_000_000_000),
    ]
    private static let powers: [(suffix: Character, shift: Int)] = [("k", 10), ("m", 20), ("g", 30)]

    /// Nanoseconds of `500ms`, `1.5s`, `2m`, `1h`; nil without a unit.
    package static func duration(_ text: String) -> UInt64? {
        for unit in units where text.hasSuffix(unit.suffix) {
            let number = text.dropLast(unit.suffix.count)
            guard !number.isEmpty, number.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
                let value = Double(number), value <= 1_000_000
            else { continue }
            return UInt64(value * Double(unit.nanoseconds))
        }
        return nil
    }

    package static func durationText(_ nanoseconds: UInt64) -> String {
        for unit in units.reversed() where nanoseconds >= unit.nanoseconds && nanoseconds % unit.nanoseconds == 0 {
            return "\(nanoseconds / unit.nanoseconds)\(unit.suffix)"
        }
        return "\(nanoseconds / 1_000_000)ms"
    }

    /// Bytes of `4096`, `100B`, `64k`, `64kB`, `2M`, `1g`; units are powers of 1024.
    package static func size(_ text: String) -> Int? {
        var digits = text.lowercased()[...]
        if digits.hasSuffix("b") { digits.removeLast() }
        let power = powers.first { $0.suffix == digits.last }
        if power != nil { digits.removeLast() }
        // Nothing but digits: a sign would pass the initializer.
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt32(digits) else { return nil }
        return Int(number) << (power?.shift ?? 0)
    }

    package static func sizeText(_ bytes: Int) -> String {
        for power in powers.reversed() where bytes >= 1 << power.shift && bytes % (1 << power.shift) == 0 {
            return "\(bytes >> power.shift)\(power.suffix)"
        }
        return "\(bytes)"
    }
}
