import Platform

/// How an exchange is written into a log: for people or for machines, never both on one stream.
public enum LogFormat: Sendable {
    /// The same text wherever it goes.
    case text(color: Bool)
    /// In columns, as wide as the terminal that a descriptor leads to is at that moment; else as ``text(color:)``.
    ///
    /// Detailed, a second line has more of each exchange.
    case terminal(CInt, color: Bool, isDetailed: Bool = false)
    /// JSON Lines.
    case json

    /// Appends one line with its line end.
    /// - Parameter indent: characters that stand in front of it.
    package func append(_ exchange: Exchange, isRunning: Bool = false, indent: Int = 0, to line: inout [UInt8]) {
        switch self {
        case .text(let color): TextLine(color: color).append(exchange, isRunning: isRunning, to: &line)
        case .terminal(let descriptor, let color, let isDetailed):
            if let width = terminalWidth(descriptor) {
                TerminalLine(color: color, width: width - indent).append(exchange, isRunning: isRunning, to: &line)
            } else {
                TextLine(color: color).append(exchange, isRunning: isRunning, to: &line)
            }
            if isDetailed { DetailLine(color: color).append(exchange, to: &line) }
        case .json: JSONLine().append(WrittenExchange(exchange), isRunning: isRunning, to: &line)
        }
    }

    /// The same for one whose facts need not be read out for all forms.
    func append(_ exchange: WrittenExchange, isRunning: Bool, to line: inout [UInt8]) {
        switch self {
        case .json: JSONLine().append(exchange, isRunning: isRunning, to: &line)
        default: append(exchange.exchange, isRunning: isRunning, to: &line)
        }
    }

    /// The line that stands for lines which were dropped because their reader was slow.
    package func gap(_ count: Int) -> String {
        switch self {
        case .text, .terminal: "shunt: \(count) log lines were dropped, because their reader is slow\n"
        case .json: "{\"event\":\"dropped\",\"lines\":\(count)}\n"
        }
    }
}
