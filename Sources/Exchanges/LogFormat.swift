/// How an exchange is written into a log: for people or for machines, never both on one stream.
public enum LogFormat: Sendable {
    case text(color: Bool)
    /// JSON Lines.
    case json

    /// Appends one line with its line end.
    package func append(_ exchange: Exchange, to line: inout [UInt8]) {
        switch self {
        case .text(let color): TextLine(color: color).append(exchange, to: &line)
        case .json: JSONLine().append(exchange, to: &line)
        }
    }

    /// The line that stands for lines which were dropped because their reader was slow.
    package func gap(_ count: Int) -> String {
        switch self {
        case .text: "shunt: \(count) log lines were dropped, for whoever reads them is slow\n"
        case .json: "{\"event\":\"dropped\",\"lines\":\(count)}\n"
        }
    }
}
