/// The two slashes of an address, and how they are spelled.
struct Slashes {
    enum Form {
        /// `//`
        case plain
        /// `\/\/`, `\u002F\u002F`
        case escaped
        /// `%2F%2F`
        case percent
    }

    let range: Range<Int>
    let form: Form

    /// The next pair of bytes from `start` on that two slashes have in their middle, or `bytes.count`.
    ///
    /// `//`, `/\` of `\/\/`, `F%` of `%2F%2F` and `F\` of `\u002F\u002F`: rarer than a single slash, backslash or
    /// percent sign. In words of eight bytes, as comparing SIMD vectors makes code that goes lane by lane.
    static func next(in bytes: Span<UInt8>, from start: Int) -> Int {
        var index = start
        let raw = bytes.bytes
        let count = bytes.count
        while index &+ 9 <= count {
            let word = UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
            let behind = UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: index &+ 1, as: UInt64.self))
            let slash = word ^ 0x2F2F_2F2F_2F2F_2F2F
            let letter = (word | 0x2020_2020_2020_2020) ^ 0x6666_6666_6666_6666
            let slashBehind = behind ^ 0x2F2F_2F2F_2F2F_2F2F
            let backslashBehind = behind ^ 0x5C5C_5C5C_5C5C_5C5C
            let percentBehind = behind ^ 0x2525_2525_2525_2525
            let plain = zeroes(slash | slashBehind) | zeroes(slash | backslashBehind)
            let coded = zeroes(letter | percentBehind) | zeroes(letter | backslashBehind)
            let found = (plain | coded) & 0x8080_8080_8080_8080
            if found != 0 { return index &+ found.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index &+ 1 < count {
            let behind = bytes[index &+ 1]
            switch bytes[index] {
            case 0x2F: if behind == 0x2F || behind == 0x5C { return index }
            case 0x46, 0x66: if behind == 0x25 || behind == 0x5C { return index }
            default: break
            }
            index &+= 1
        }
        return count
    }

    /// A high bit for the lowest byte that is zero; those above it may be wrong.
    @inline(__always)
    private static func zeroes(_ word: UInt64) -> UInt64 { (word &- 0x0101_0101_0101_0101) & ~word }

    /// The slashes around a pair that ``next(in:from:)`` found, none of them before `minimum`.
    init?(_ bytes: Span<UInt8>, at pair: Int, minimum: Int) {
        let behind = pair + 1
        switch (bytes[pair], bytes[behind]) {
        case (0x2F, 0x2F): (range, form) = (pair..<pair + 2, .plain)
        case (0x2F, 0x5C): (range, form) = (pair - 1..<pair + 3, .escaped)
        case (_, 0x25): (range, form) = (pair - 2..<pair + 4, .percent)
        default: (range, form) = (pair - 5..<pair + 7, .escaped)
        }
        guard range.lowerBound >= minimum, range.upperBound <= bytes.count else { return nil }
        let spelled: StaticString =
            switch form {
            case .plain: "//"
            case .percent: "%2f%2f"
            case .escaped: range.count == 4 ? "\\/\\/" : "\\u002f\\u002f"
            }
        guard bytes.isText(spelled, in: range) else { return nil }
    }
}
