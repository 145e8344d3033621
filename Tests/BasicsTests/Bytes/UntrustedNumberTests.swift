import Bytes
import Testing

/// Arithmetic on numbers that a peer or a file has named.
@Suite struct UntrustedNumberTests {
    @Test(
        arguments: [
            ("0", 0), ("007", 7), ("9223372036854775807", .max), ("9223372036854775808", .max),
            (String(repeating: "9", count: 400), .max), ("", nil), ("-5", nil), ("+5", nil), (" 5", nil), ("5 ", nil),
            ("5.0", nil), ("0x1F", nil), ("５", nil),
        ] as [(String, Int64?)])
    func `digits are a number, and what is too long the greatest one`(text: String, number: Int64?) {
        #expect(UntrustedNumber(digits: text.utf8).map { $0.clamped(to: Int64.min...Int64.max) } == number)
    }

    @Test func `its arithmetic stops at the ends of its range`() {
        let (least, greatest) = (UntrustedNumber(Int64.min), UntrustedNumber(UInt64.max))
        #expect(greatest.plus(1) == greatest && least.minus(1) == least && least.plus(-1) == least)
        #expect(UntrustedNumber(0).minus(least) == greatest && greatest.minus(-1) == greatest)
        #expect(greatest.times(2) == greatest && greatest.times(-2) == least && least.times(-1) == greatest)
        #expect(least.plus(greatest) == -1 && UntrustedNumber(6).times(-7) == -42 && UntrustedNumber(3).minus(5) == -2)
    }

    @Test func `it becomes a plain number within bounds alone`() {
        #expect(UntrustedNumber(Int64.max).clamped(to: 0...100) == 100 && UntrustedNumber(-1).clamped(to: 0...100) == 0)
        #expect(
            UntrustedNumber(-1).clamped(to: UInt64.self) == 0 && UntrustedNumber(300).clamped(to: UInt8.self) == 255)
    }
}
