public import Bytes

extension HeadWriter {
    /// Appends a number in decimal digits.
    public static func append(decimal number: UInt64, to out: inout Buffer) -> Bool {
        append(number, base: 10, to: &out)
    }

    /// Appends a number in hexadecimal digits, in small letters and without leading zeros.
    public static func append(hexadecimal number: UInt64, to out: inout Buffer) -> Bool {
        append(number, base: 16, to: &out)
    }

    @inline(__always)
    static func digits(in number: UInt64, base: UInt64) -> Int {
        var count = 1
        var rest = number / base
        while rest > 0 {
            count &+= 1
            rest /= base
        }
        return count
    }

    /// From the last digit to the first, in place.
    @inline(__always)
    private static func append(_ number: UInt64, base: UInt64, to out: inout Buffer) -> Bool {
        let count = digits(in: number, base: base)
        let room = out.unsafeRoom
        guard count <= room.count else { return false }
        var rest = number
        var index = count
        while index > 0 {
            index &-= 1
            let digit = UInt8(truncatingIfNeeded: rest % base)
            room[index] = digit < 10 ? 0x30 &+ digit : 0x57 &+ digit
            rest /= base
        }
        out.didFill(count)
        return true
    }
}
