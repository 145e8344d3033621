/// Names and values as forms send them and queries carry them (application/x-www-form-urlencoded, URL standard 5.1).
struct FormContent {
    /// Pairs that are read; what comes behind them does not count.
    private static let most = 32
    private let pairs: [(name: String, value: String)]

    init(_ text: some Collection<UInt8>) {
        pairs = text.split(separator: UInt8(ascii: "&"), maxSplits: Self.most).prefix(Self.most).map { pair in
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.decoded(parts[0]), parts.count > 1 ? Self.decoded(parts[1]) : "")
        }
    }

    /// The query of a request's target.
    init(target: String) {
        let query = target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        self.init(query.count > 1 ? Array(query[1]) : [])
    }

    /// In their order, each as often as it is there.
    var names: [String] { pairs.map(\.name) }

    subscript(_ name: String) -> String? { pairs.first { $0.name == name }?.value }

    private static func decoded(_ text: some Collection<UInt8>) -> String {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
                if digits.count == 2 {
                    bytes.append(UInt8(digits[0] << 4 | digits[1]))
                    rest = rest.dropFirst(2)
                } else {
                    bytes.append(byte)
                }
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
