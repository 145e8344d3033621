/// Writes metrics in Prometheus' text format, version 0.0.4.
public struct PrometheusText: Sendable {
    public enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    public static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    public private(set) var bytes: [UInt8] = []

    public init() {}

    /// Begins a metric; its samples follow.
    public mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        bytes += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n".utf8
    }

    /// Writes one sample.
    public mutating func sample(_ name: String, _ labels: [(name: String, value: String)] = [], _ value: String) {
        bytes += name.utf8
        if !labels.isEmpty {
            let list = labels.map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }
            bytes += "{\(list.joined(separator: ","))}".utf8
        }
        bytes += " \(value)\n".utf8
    }

    /// Writes a metric that has one sample.
    public mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger) {
        begin(name, kind, help)
        sample(name, "\(value)")
    }

    private mutating func sample(_ name: String, _ value: String) { sample(name, [], value) }

    /// Microseconds as seconds.
    public static func seconds(_ microseconds: UInt64) -> String {
        let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        guard rest > 0 else { return "\(whole)" }
        let digits = "\(1_000_000 + rest)".dropFirst()
        let zeros = digits.reversed().prefix { $0 == "0" }.count
        return "\(whole).\(digits.dropLast(zeros))"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": result += #"\\"#
            case "\n": result += #"\n"#
            case "\"" where quotes: result += #"\""#
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
