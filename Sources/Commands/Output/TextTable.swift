/// Columns for people.
struct TextTable {
    private let rows: [[String]]
    private let rightAligned: Set<Int>

    /// Characters that a column keeps, however narrow the terminal is.
    private static let narrowest = 8

    /// - Parameter rightAligned: the columns of numbers.
    init(_ rows: [[String]], rightAligned: Set<Int> = []) { (self.rows, self.rightAligned) = (rows, rightAligned) }

    var text: String { lines(widths).joined() }

    /// For standard output: on a terminal as wide as that, with its first row as a heading.
    var listing: String {
        guard let columns = Terminal.size?.columns else { return text }
        var widths = widths
        while widths.reduce(0, +) + 2 * (widths.count - 1) > columns, let widest = widths.max(),
            widest > Self.narrowest, let index = widths.firstIndex(of: widest)
        {
            widths[index] -= 1
        }
        let lines = lines(widths)
        guard Terminal.wantsColor(on: 1), let first = lines.first else { return lines.joined() }
        return "\u{1b}[1m\(first.dropLast())\u{1b}[0m\n" + lines.dropFirst().joined()
    }

    /// The same without a heading, and with a last column that is continued below itself where it is too long.
    var wrapped: String {
        guard let columns = Terminal.size?.columns, let last = widths.last else { return text }
        let indent = widths.dropLast().reduce(0) { $0 + $1 + 2 }
        let room = max(20, columns - indent)
        guard last > room else { return text }
        let broken = rows.flatMap { row -> [[String]] in
            guard row.count == widths.count, let cell = row.last else { return [row] }
            let pieces = Self.pieces(of: cell, room)
            let blank = [String](repeating: "", count: row.count - 1)
            return pieces.enumerated().map { ($0 == 0 ? Array(row.dropLast()) : blank) + [$1] }
        }
        return TextTable(broken, rightAligned: rightAligned).text
    }

    private var widths: [Int] {
        var widths: [Int] = []
        for row in rows {
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.count)
            }
        }
        return widths
    }

    private func lines(_ widths: [Int]) -> [String] {
        rows.map { row in
            var line = ""
            for (column, whole) in row.enumerated() {
                let cell = whole.count > widths[column] ? whole.prefix(widths[column] - 1) + "…" : whole
                let space = String(repeating: " ", count: widths[column] - cell.count)
                line += (column > 0 ? "  " : "") + (rightAligned.contains(column) ? space + cell : cell + space)
            }
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }
    }

    /// Lines of whole words.
    private static func pieces(of text: String, _ room: Int) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let line = lines[lines.count - 1]
            if !line.isEmpty, line.count + 1 + word.count > room {
                lines.append(String(word))
            } else {
                lines[lines.count - 1] = line.isEmpty ? String(word) : line + " " + word
            }
        }
        return lines
    }
}
