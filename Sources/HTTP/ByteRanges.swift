/// What a Range field asks for (RFC 9110 14.1.2), within a representation of a known length.
public enum ByteRanges: Sendable, Equatable {
    /// There is nothing to go by: another unit, what is no range, or so much of it that it would be abuse.
    case whole
    case ranges([Range<UInt64>])
    /// 416
    case unsatisfiable

    /// More ranges would cost much and serve no reader (RFC 9110 14.2).
    private static let maxCount = 32

    public static func parse(_ value: Span<UInt8>, length: UInt64) -> ByteRanges {
        let unit: StaticString = "bytes="
        guard value.count > unit.utf8CodeUnitCount else { return .whole }
        for at in 0..<unit.utf8CodeUnitCount {
            let byte = value[at]
            guard (byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte) == unit.utf8Start[at] else { return .whole }
        }
        var ranges: [Range<UInt64>] = []
        var (count, total) = (0, UInt64(0))
        var list = ListCursor(unit.utf8CodeUnitCount..<value.count)
        while let element = list.element(value) {
            if element.isEmpty { continue }
            count += 1
            guard count <= maxCount, let bounds = bounds(value.extracting(element)) else { return .whole }
            let range: Range<UInt64>
            switch bounds {
            case (let first?, let last):
                guard last.map({ first <= $0 }) ?? true else { return .whole }
                guard first < length else { continue }
                range = first..<(last.map { $0 < length ? $0 + 1 : length } ?? length)
            case (nil, let suffix):
                guard let suffix, suffix > 0, length > 0 else { continue }
                range = (suffix < length ? length - suffix : 0)..<length
            }
            total += range.upperBound - range.lowerBound
            // Ranges that overlap come to more than there is.
            if count > 1, total > length { return .whole }
            ranges.append(range)
        }
        if ranges.isEmpty { return count > 0 ? .unsatisfiable : .whole }
        return .ranges(ranges)
    }

    /// `first-last`, `first-` or `-suffix`; nil for anything else.
    private static func bounds(_ text: Span<UInt8>) -> (first: UInt64?, last: UInt64?)? {
        var dash: Int?
        for at in text.indices where dash == nil && text[at] == UInt8(ascii: "-") { dash = at }
        guard let dash else { return nil }
        var (first, last): (UInt64?, UInt64?) = (nil, nil)
        if dash > 0 {
            first = number(text.extracting(0..<dash))
            if first == nil { return nil }
        }
        if dash + 1 < text.count {
            last = number(text.extracting((dash + 1)..<text.count))
            if last == nil { return nil }
        }
        return first == nil && last == nil ? nil : (first, last)
    }

    /// What is too large for a number is at least as large as any file.
    private static func number(_ digits: Span<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for at in digits.indices {
            guard digits[at] >= 0x30, digits[at] <= 0x39 else { return nil }
            let (product, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digits[at] - 0x30))
            number = overflow || carry ? .max - 1 : sum
        }
        return number
    }
}
