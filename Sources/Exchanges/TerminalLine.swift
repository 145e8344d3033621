import Bytes

/// One exchange in one line of a terminal: columns of one width first, then the URL and what fits beside it.
///
/// Where the room is short, details are left out first; then the URL is shortened, then facts are cut, then they are
/// left out. Warnings are always there as a whole.
package struct TerminalLine {
    private static let minURL = 16
    private static let minFact = 8

    private let color: Bool
    private let width: Int

    /// - Parameter width: of the line in characters.
    package init(color: Bool, width: Int) { (self.color, self.width) = (color, width) }

    package func append(_ exchange: Exchange, isRunning: Bool = false, to line: inout [UInt8]) {
        let plain = TextLine(color: color)
        // Without milliseconds where there is little room.
        let time = String(TextLine.time(exchange.startedAt).prefix(width < 100 ? 8 : 12))
        let duration = isRunning ? "running" : TextLine.duration(exchange.timings.total)
        let size = "↓" + TextLine.size(exchange.bytes.response)
        let method = PlainText.clean(exchange.method)
        var text = plain.painted(time, LinePiece.dim) + " " + plain.status(exchange, isRunning: isRunning) + " "
        text += Self.padding(duration, 7) + (isRunning ? plain.painted(duration, LinePiece.cyan) : duration) + " "
        text += Self.padding(size, 8) + size + " " + method + Self.padding(method, 4) + " "
        let used =
            time.count + 1 + 3 + 1 + max(7, duration.count) + 1 + max(8, size.count) + 1 + max(4, method.count) + 1
        var pieces = LinePiece.all(of: exchange, namesTrust: false)
        if exchange.bytes.request > 0 {
            pieces.append(LinePiece("↑" + TextLine.size(exchange.bytes.request), nil, .detail))
        }
        var url = TextLine.url(exchange)
        fit(&url, &pieces, in: width - used)
        text += url
        for piece in pieces { text += " " + piece.painted(color) }
        line.append(contentsOf: text.utf8)
        line.append(UInt8(ascii: "\n"))
    }

    private func fit(_ url: inout String, _ pieces: inout [LinePiece], in room: Int) {
        func excess() -> Int { url.count + pieces.reduce(0) { $0 + 1 + $1.text.count } - room }
        while excess() > 0, let last = pieces.lastIndex(where: { $0.rank == .detail }) { pieces.remove(at: last) }
        if excess() > 0, let scheme = url.firstRange(of: "://") { url.removeSubrange(..<scheme.upperBound) }
        if excess() > 0 { url = Self.shortened(url, to: max(Self.minURL, url.count - excess())) }
        for index in pieces.indices.reversed() where excess() > 0 && pieces[index].rank == .fact {
            let length = max(Self.minFact, pieces[index].text.count - excess())
            guard length < pieces[index].text.count else { continue }
            pieces[index].text = pieces[index].text.prefix(length - 1) + "…"
        }
        while excess() > 0, let first = pieces.firstIndex(where: { $0.rank == .fact }) { pieces.remove(at: first) }
    }

    /// A URL with its beginning, which has the host, and its end.
    private static func shortened(_ url: String, to length: Int) -> String {
        guard url.count > length else { return url }
        let end = (length - 1) / 3
        return url.prefix(length - 1 - end) + "…" + url.suffix(end)
    }

    private static func padding(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count))
    }
}
