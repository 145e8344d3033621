/// The content codings that a client takes (RFC 9110 12.5.3).
public struct ContentCodings: Sendable {
    /// In the order in which they are preferred where a client has no preference.
    public enum Coding: Int, Sendable, CaseIterable {
        case br, zstd, gzip

        public var name: StaticString {
            switch self {
            case .br: "br"
            case .zstd: "zstd"
            case .gzip: "gzip"
            }
        }

        /// The ending of files in this coding.
        public var ending: StaticString {
            switch self {
            case .br: ".br"
            case .zstd: ".zst"
            case .gzip: ".gz"
            }
        }
    }

    /// Those that may be sent, the preferred one first.
    public let accepted: [Coding]

    /// - Parameter bytes: those that the head's ranges count in.
    public init(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) {
        guard head.names.contains(.acceptEncoding) else {
            accepted = []
            return
        }
        var weights: [Int?] = [nil, nil, nil]
        var (others, identity): (Int?, Int?) = (nil, nil)
        for field in head.fields where field.id == .acceptEncoding {
            var list = ListCursor(field.value)
            while let element = list.element(bytes) {
                let (name, weight) = Self.element(bytes.extracting(element))
                switch name {
                case "br": weights[Coding.br.rawValue] = weight
                case "zstd": weights[Coding.zstd.rawValue] = weight
                case "gzip", "x-gzip": weights[Coding.gzip.rawValue] = weight
                case "identity": identity = weight
                case "*": others = weight
                default: break
                }
            }
        }
        let known = Coding.allCases.compactMap { coding -> (coding: Coding, weight: Int)? in
            let weight = weights[coding.rawValue] ?? others ?? 0
            return weight > 0 && weight >= identity ?? 0 ? (coding, weight) : nil
        }
        accepted = known.sorted { ($1.weight, $0.coding.rawValue) < ($0.weight, $1.coding.rawValue) }.map(\.coding)
    }

    /// The name in small letters, and the weight in thousandths.
    private static func element(_ bytes: Span<UInt8>) -> (name: String, weight: Int) {
        let parts = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }.lowercased()
            .split(separator: ";", omittingEmptySubsequences: false)
        let name = (parts.first.map(String.init) ?? "").filter { $0 != " " && $0 != "\t" }
        for part in parts.dropFirst() {
            let text = part.filter { $0 != " " && $0 != "\t" }
            if text.hasPrefix("q=") { return (name, thousandths(text.dropFirst(2))) }
        }
        return (name, 1000)
    }

    /// What is no weight counts as none: better plain than in a coding that was not asked for.
    private static func thousandths(_ text: Substring) -> Int {
        let digits = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = digits.first, whole == "0" || whole == "1" else { return 0 }
        let fraction = digits.count > 1 ? digits[1] : ""
        guard fraction.utf8.count <= 3, fraction.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return 0 }
        let part = Int(fraction.utf8.reduce(0) { $0 * 10 + Int($1 - 0x30) })
        let scale = [1000, 100, 10, 1][fraction.utf8.count]
        if whole == "1" { return part == 0 ? 1000 : 0 }
        return part * scale
    }
}
