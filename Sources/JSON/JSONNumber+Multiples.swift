extension JSONNumber {
    /// Exponents that are calculated with; others are those of no measure or price.
    private static let exponents = -400...400

    /// Whether it is a whole number of units, in decimal arithmetic: 4.35 is 435 times 0.01.
    ///
    /// - Parameter unit: above 0. Where it has more digits than 19 the nearest Doubles are compared.
    public func isMultiple(of unit: JSONNumber) -> Bool {
        guard let own = decimal, let one = unit.decimal, !one.digits.isEmpty else { return isNearMultiple(of: unit) }
        let exponent = min(own.exponent, one.exponent)
        var divisor: UInt64 = 0
        for digit in one.digits + [UInt8](repeating: 0, count: one.exponent - exponent) {
            let (product, isTooLarge) = divisor.multipliedReportingOverflow(by: 10)
            let (sum, isTooLargeNow) = product.addingReportingOverflow(UInt64(digit))
            if isTooLarge || isTooLargeNow { return isNearMultiple(of: unit) }
            divisor = sum
        }
        var rest: UInt64 = 0
        for digit in own.digits + [UInt8](repeating: 0, count: own.exponent - exponent) {
            let (high, low) = rest.multipliedFullWidth(by: 10)
            let (sum, carries) = low.addingReportingOverflow(UInt64(digit))
            rest = divisor.dividingFullWidth((high + (carries ? 1 : 0), sum)).remainder
        }
        return rest == 0
    }

    private func isNearMultiple(of unit: JSONNumber) -> Bool {
        guard let number = double, let unit = unit.double, unit > 0 else { return true }
        return (number / unit).rounded() * unit == number
    }

    /// Its digits without zeros at either end, and the power of ten that they are multiplied by; nil for an exponent
    /// out of bounds.
    private var decimal: (digits: [UInt8], exponent: Int)? {
        let parts = json.utf8.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 | 0x20 == UInt8(ascii: "e") }
        var exponent = 0
        if parts.count > 1 {
            guard let number = Int(String(decoding: parts[1], as: UTF8.self)), Self.exponents.contains(number) else {
                return nil
            }
            exponent = number
        }
        var digits: [UInt8] = []
        var isBehindPoint = false
        for byte in parts[0] where byte != UInt8(ascii: "-") {
            guard byte != UInt8(ascii: ".") else {
                isBehindPoint = true
                continue
            }
            guard byte &- 0x30 < 10 else { return nil }
            digits.append(byte - 0x30)
            if isBehindPoint { exponent -= 1 }
        }
        while digits.last == 0 {
            digits.removeLast()
            exponent += 1
        }
        digits.removeFirst(digits.firstIndex { $0 != 0 } ?? digits.count)
        return (digits, digits.isEmpty ? 0 : exponent)
    }
}
