import Bytes

/// Names and values as forms send them and queries carry them (application/x-www-form-urlencoded, URL standard 5.1).
struct FormBody {
    /// Pairs that are read; further pairs are ignored.
    private static let limit = 32
    private let pairs: [(name: String, value: String)]

    init(_ text: some Collection<UInt8>) {
        pairs = text.split(separator: UInt8(ascii: "&"), maxSplits: Self.limit).prefix(Self.limit).map { pair in
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.text(parts[0]), parts.count > 1 ? Self.text(parts[1]) : "")
        }
    }

    /// The query of a request's target.
    init(target: String) {
        let query = target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        self.init(query.count > 1 ? Array(query[1]) : [])
    }

    /// In their order, with repetitions.
    var names: [String] { pairs.map(\.name) }

    subscript(_ name: String) -> String? { pairs.first { $0.name == name }?.value }

    private static func text(_ part: some Collection<UInt8>) -> String {
        String(decoding: FormCoding.decoded(Array(part)), as: UTF8.self)
    }
}
