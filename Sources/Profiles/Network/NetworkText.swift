package import JSON

extension NetworkConditions {
    /// The figures in one line: `50ms ± 15ms, 20Mbit/s down, 8Mbit/s up, 0.05% loss`.
    package var summary: String {
        switch cut {
        case .origins?: return "origins cannot be reached"
        case .reset?: return "connections are reset"
        case .hang?: return "connections stay, and nothing passes"
        case .alert?: return "TLS handshakes are refused"
        case nil: break
        }
        var parts: [String] = []
        if latency > 0 || jitter > 0 {
            parts.append(
                Quantity.durationText(latency)
                    + (jitter == 0 ? "" : " ± \(Quantity.durationText(jitter)) (\(distribution.rawValue))"))
        }
        if let down { parts.append("\(Quantity.rateText(down)) down") }
        if let up { parts.append("\(Quantity.rateText(up)) up") }
        if loss > 0 { parts.append("\(Quantity.percentText(loss)) loss, \(Quantity.durationText(stallTime)) each") }
        if let setup { parts.append("\(Quantity.durationText(setup)) per connection") }
        if let outages { parts.append("every \(Self.text(outages.every)) an outage of \(Self.text(outages.lasting))") }
        return parts.isEmpty ? "no limits" : parts.joined(separator: ", ")
    }

    private static func text(_ range: ClosedRange<UInt64>) -> String {
        let (first, last) = (Quantity.durationText(range.lowerBound), Quantity.durationText(range.upperBound))
        return first == last ? first : "\(first) to \(last)"
    }

    /// The members of an object with all figures: milliseconds, bits per second, percent.
    package func writeMembers(to writer: inout JSONWriter) {
        writer.members(["name": name, "summary": summary, "offline": cut == .reset])
        guard cut == nil else { return }
        writer.member("latencyMs", Int(latency / 1_000_000))
        writer.member("jitterMs", Int(jitter / 1_000_000))
        writer.member("distribution", distribution.rawValue)
        writer.member("downBitsPerSecond", down.map { Int(clamping: $0) })
        writer.member("upBitsPerSecond", up.map { Int(clamping: $0) })
        writer.member("lossPerMillion", loss)
        writer.member("stallMs", Int(stallTime / 1_000_000))
        writer.member("setupMs", Int(setupTime / 1_000_000))
    }
}

extension Quantity {
    private static let rates: [(suffix: String, bits: UInt64)] = [
        ("Gbit/s", 1_000_000_000), ("Mbit/s", 1_000_000), ("kbit/s", 1000), ("bit/s", 1),
    ]

    /// Bits per second of `50kbit/s`, `1.6Mbit/s`; nil without a unit.
    package static func rate(_ text: String) -> UInt64? {
        for unit in rates where text.hasSuffix(unit.suffix) {
            let number = text.dropLast(unit.suffix.count)
            guard !number.isEmpty, number.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
                let value = Double(number), value <= 1_000_000
            else { return nil }
            return UInt64(value * Double(unit.bits))
        }
        return nil
    }

    package static func rateText(_ bits: UInt64) -> String {
        for unit in rates where bits >= unit.bits {
            let (whole, rest) = (bits / unit.bits, bits % unit.bits * 10 / unit.bits)
            if bits % unit.bits == 0 { return "\(whole)\(unit.suffix)" }
            if rest * unit.bits / 10 == bits % unit.bits { return "\(whole).\(rest)\(unit.suffix)" }
        }
        return "\(bits)bit/s"
    }

    /// Millionths of `1%`, `0.05%`; nil without the sign.
    package static func percent(_ text: String) -> Int? {
        guard text.hasSuffix("%") else { return nil }
        let number = text.dropLast()
        guard !number.isEmpty, number.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
            let value = Double(number), value <= 100
        else { return nil }
        return Int((value * 10_000).rounded())
    }

    package static func percentText(_ millionths: Int) -> String {
        var digits = "\(millionths % 10_000)"
        while digits.count < 4 { digits = "0" + digits }
        while digits.last == "0" { digits.removeLast() }
        return "\(millionths / 10_000)" + (digits.isEmpty ? "" : ".\(digits)") + "%"
    }
}
