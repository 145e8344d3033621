/// Times and sizes in the spelling of the command line.
enum Quantity {
    private static let units: [(suffix: String, nanoseconds: Double)] = [
        ("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3600e9),
    ]

    /// Nanoseconds of `500ms`, `1.5s`, `2m`, `1h`; nil without a unit, for nobody can guess it.
    static func duration(_ text: String) -> UInt64? {
        for unit in units where text.hasSuffix(unit.suffix) {
            let number = text.dropLast(unit.suffix.count)
            guard !number.isEmpty, number.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
                let value = Double(number), value <= 1_000_000
            else { continue }
            return UInt64(value * unit.nanoseconds)
        }
        return nil
    }

    /// Bytes of `4096`, `100B`, `64k`, `64kB`, `2M`; units are powers of 1024.
    static func size(_ text: String) -> Int? {
        var digits = text.lowercased()[...]
        if digits.hasSuffix("b") { digits.removeLast() }
        var shift = 0
        if digits.hasSuffix("k") { shift = 10 } else if digits.hasSuffix("m") { shift = 20 }
        if shift > 0 { digits.removeLast() }
        // Nothing but digits: a sign would pass the initializer.
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt32(digits) else { return nil }
        return Int(number) << shift
    }
}
