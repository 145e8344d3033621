/// RFC 3492, for the labels of internationalised host names.
enum Punycode {
    private static let base = 36
    private static let tMin = 1
    private static let tMax = 26

    /// The ASCII form of one label with its `xn--`; ASCII labels stay as they are.
    ///
    /// Nil when it is too long to be one.
    static func label(_ text: Substring) -> String? {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return String(text) }
        guard let encoded = encode(Array(text.unicodeScalars)), encoded.utf8.count <= 59 else { return nil }
        return "xn--" + encoded
    }

    private static func encode(_ scalars: [Unicode.Scalar]) -> String? {
        guard scalars.count <= 63 else { return nil }
        var output = scalars.filter(\.isASCII).map { Character($0) }
        let basic = output.count
        var handled = basic
        if basic > 0 { output.append("-") }
        var n: UInt32 = 128
        var delta = 0
        var bias = 72
        while handled < scalars.count {
            guard let next = scalars.map(\.value).filter({ $0 >= n }).min() else { return nil }
            delta += Int(next - n) * (handled + 1)
            n = next
            for scalar in scalars {
                if scalar.value < n { delta += 1 }
                guard scalar.value == n else { continue }
                var q = delta
                var k = base
                while true {
                    let t = k <= bias ? tMin : (k >= bias + tMax ? tMax : k - bias)
                    if q < t { break }
                    output.append(digit(t + (q - t) % (base - t)))
                    q = (q - t) / (base - t)
                    k += base
                }
                output.append(digit(q))
                bias = adapt(delta, handled + 1, isFirst: handled == basic)
                delta = 0
                handled += 1
            }
            delta += 1
            n += 1
        }
        return String(output)
    }

    private static func adapt(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var k = 0
        while delta > ((base - tMin) * tMax) / 2 {
            delta /= base - tMin
            k += base
        }
        return k + (base - tMin + 1) * delta / (delta + 38)
    }

    private static func digit(_ value: Int) -> Character {
        Character(Unicode.Scalar(UInt8(value < 26 ? 97 + value : 22 + value)))
    }
}
