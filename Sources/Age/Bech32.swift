/// Bech32 (BIP 173) without its limit of 90 characters, as age uses it for keys.
enum Bech32 {
    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)

    /// In small letters.
    static func text(_ name: String, _ bytes: [UInt8]) -> String {
        let values = regroup(bytes, from: 8, to: 5, pads: true) ?? []
        let input = expanded(Array(name.utf8)) + values
        let checksum = polymod(input + [UInt8](repeating: 0, count: 6)) ^ 1
        let check = (0..<6).map { UInt8(truncatingIfNeeded: checksum >> UInt32(5 * (5 - $0)) & 31) }
        return name + "1" + String(decoding: (values + check).map { alphabet[Int($0)] }, as: UTF8.self)
    }

    /// The name in small letters and the bytes; nil for anything with a mistake in it.
    static func bytes(_ text: String) -> (name: String, bytes: [UInt8])? {
        let hasSmall = text.utf8.contains { (0x61...0x7A).contains($0) }
        let hasLarge = text.utf8.contains { (0x41...0x5A).contains($0) }
        guard !(hasSmall && hasLarge) else { return nil }
        let letters = text.utf8.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
        guard let border = letters.lastIndex(of: UInt8(ascii: "1")), border > 0, letters.count - border > 6,
            letters[..<border].allSatisfy({ (33...126).contains($0) })
        else { return nil }
        var values: [UInt8] = []
        for letter in letters[(border + 1)...] {
            guard let value = alphabet.firstIndex(of: letter) else { return nil }
            values.append(UInt8(value))
        }
        let name = Array(letters[..<border])
        guard polymod(expanded(name) + values) == 1,
            let bytes = regroup(Array(values.dropLast(6)), from: 5, to: 8, pads: false)
        else { return nil }
        return (String(decoding: name, as: UTF8.self), bytes)
    }

    private static func expanded(_ name: [UInt8]) -> [UInt8] { name.map { $0 >> 5 } + [0] + name.map { $0 & 31 } }

    private static func polymod(_ values: [UInt8]) -> UInt32 {
        var check: UInt32 = 1
        for value in values {
            let top = check >> 25
            check = (check & 0x1FF_FFFF) << 5 ^ UInt32(value)
            for (index, generator) in [0x3B6A_57B2, 0x2650_8E6D, 0x1EA1_19FA, 0x3D42_33DD, 0x2A14_62B3].enumerated()
            where top >> UInt32(index) & 1 == 1 { check ^= UInt32(generator) }
        }
        return check
    }

    private static func regroup(_ values: [UInt8], from: UInt32, to: UInt32, pads: Bool) -> [UInt8]? {
        var (bits, count, out): (UInt32, UInt32, [UInt8]) = (0, 0, [])
        let mask = UInt32(1) << to - 1
        for value in values {
            bits = bits << from | UInt32(value)
            count += from
            while count >= to {
                count -= to
                out.append(UInt8(truncatingIfNeeded: bits >> count & mask))
            }
            bits &= 0xFFFF
        }
        let rest = bits << (to - count) & mask
        if pads {
            if count > 0 { out.append(UInt8(truncatingIfNeeded: rest)) }
        } else if count >= from || rest != 0 {
            return nil
        }
        return out
    }
}
