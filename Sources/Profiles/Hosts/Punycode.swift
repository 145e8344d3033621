/// Encodes a label by RFC 3492, section 6.3, with IDNA's parameters.
///
/// Returns the part behind `xn--`, or nil for a label too long to be one.
func punycode(_ label: [Unicode.Scalar]) -> String? {
    // A DNS label has 63 octets at most, so every sum below stays far from overflow.
    guard label.count <= 63 else { return nil }
    var output = label.filter(\.isASCII).map { UInt8(truncatingIfNeeded: $0.value) }
    let basicCount = output.count
    if basicCount > 0 { output.append(UInt8(ascii: "-")) }
    var (lowest, delta, bias, handled): (UInt32, Int, Int, Int) = (128, 0, 72, basicCount)
    while handled < label.count {
        guard let next = label.lazy.map(\.value).filter({ $0 >= lowest }).min() else { return nil }
        delta += Int(next - lowest) * (handled + 1)
        lowest = next
        for scalar in label {
            if scalar.value < lowest { delta += 1 }
            guard scalar.value == lowest else { continue }
            appendVariableLength(delta, bias: bias, to: &output)
            bias = adapt(delta, points: handled + 1, isFirst: handled == basicCount)
            delta = 0
            handled += 1
        }
        delta += 1
        lowest += 1
    }
    return String(decoding: output, as: UTF8.self)
}

private func appendVariableLength(_ delta: Int, bias: Int, to output: inout [UInt8]) {
    var (rest, k) = (delta, 36)
    while true {
        let threshold = k <= bias ? 1 : min(k - bias, 26)
        if rest < threshold { break }
        output.append(digit(threshold + (rest - threshold) % (36 - threshold)))
        rest = (rest - threshold) / (36 - threshold)
        k += 36
    }
    output.append(digit(rest))
}

private func adapt(_ delta: Int, points: Int, isFirst: Bool) -> Int {
    var delta = isFirst ? delta / 700 : delta / 2
    delta += delta / points
    var k = 0
    while delta > (36 - 1) * 26 / 2 {
        delta /= 36 - 1
        k += 36
    }
    return k + 36 * delta / (delta + 38)
}

private func digit(_ value: Int) -> UInt8 { UInt8(truncatingIfNeeded: value < 26 ? value + 97 : value - 26 + 48) }
