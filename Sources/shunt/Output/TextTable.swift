/// Columns for people.
struct TextTable {
    private let rows: [[String]]
    private let rightAligned: Set<Int>

    /// - Parameter rightAligned: the columns of numbers.
    init(_ rows: [[String]], rightAligned: Set<Int> = []) {
        self.rows = rows
        self.rightAligned = rightAligned
    }

    var text: String {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                let space = String(repeating: " ", count: widths[column] - cell.count)
                line += (column > 0 ? "  " : "") + (rightAligned.contains(column) ? space + cell : cell + space)
            }
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }
}
