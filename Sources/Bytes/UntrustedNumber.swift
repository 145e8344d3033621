/// A whole number that a peer or a file has named, which may be any.
///
/// It has no `+`, `-` or `*`, which end the process on an overflow: its own arithmetic stops at the ends of its range.
/// It becomes a plain number only within bounds. `.ci/numbers` refuses plain arithmetic on parsed numbers.
public struct UntrustedNumber: Comparable, Hashable, Sendable, ExpressibleByIntegerLiteral {
    private let value: Int64

    public init(_ number: some BinaryInteger) { value = Int64(clamping: number) }

    public init(integerLiteral number: Int64) { value = number }

    /// Reads a text of nothing but digits, as fields have them; the greatest number for one that is too long to fit.
    public init?(digits text: some Collection<UInt8>) {
        guard !text.isEmpty, text.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        self = text.reduce(UntrustedNumber(0)) { $0.times(10).plus(UntrustedNumber($1 &- 0x30)) }
    }

    public func plus(_ other: UntrustedNumber) -> UntrustedNumber {
        let (sum, isTooMuch) = value.addingReportingOverflow(other.value)
        return UntrustedNumber(isTooMuch ? (value < 0 ? .min : .max) : sum)
    }

    public func minus(_ other: UntrustedNumber) -> UntrustedNumber {
        let (difference, isTooMuch) = value.subtractingReportingOverflow(other.value)
        return UntrustedNumber(isTooMuch ? (value < 0 ? .min : .max) : difference)
    }

    public func times(_ other: UntrustedNumber) -> UntrustedNumber {
        let (product, isTooMuch) = value.multipliedReportingOverflow(by: other.value)
        return UntrustedNumber(isTooMuch ? ((value < 0) == (other.value < 0) ? .max : .min) : product)
    }

    /// The number within bounds: the nearest of them for one outside.
    public func clamped(to bounds: ClosedRange<Int64>) -> Int64 {
        Swift.min(Swift.max(value, bounds.lowerBound), bounds.upperBound)
    }

    /// The same for a type whose whole range is the bounds.
    public func clamped<Number: FixedWidthInteger>(to type: Number.Type = Number.self) -> Number {
        Number(clamping: value)
    }

    public static func < (one: UntrustedNumber, other: UntrustedNumber) -> Bool { one.value < other.value }
}
