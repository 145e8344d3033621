import Patterns

/// A text that the log has in a column, or makes of columns.
struct FilterColumn {
    private let name: String
    private let isSmall: Bool

    /// - Parameter isSmall: The log keeps it in small letters.
    init(_ name: String, isSmall: Bool = false) {
        self.name = name
        self.isSmall = isSmall
    }

    /// A condition that is true for the same texts as the pattern of this shape.
    ///
    /// `lower` changes ASCII alone in SQLite, and in PostgreSQL for columns of the collation C, as patterns do; `instr` and
    /// `substr` count characters. PostgreSQL's `instr` is a function of the store's own.
    func sql(_ shape: PatternShape) -> FilterSQL {
        let text = isSmall ? name : "lower(\(name))"
        switch shape {
        case .equals(let bytes): return condition("\(text) = ?", bytes)
        case .contains(let bytes), .needs(let bytes):
            return condition("instr(\(text), ?) > 0", bytes, isExact: shape.isExact)
        case .prefix(let bytes):
            guard isSmall, let last = bytes.last, last < 0x7F else { return condition("instr(\(text), ?) = 1", bytes) }
            // A range, so that an index can serve.
            return .and([
                condition("\(text) >= ?", bytes), condition("\(text) < ?", bytes.dropLast() + [last + 1]),
            ])
        case .suffix(let bytes):
            if bytes.isEmpty { return condition("instr(\(text), ?) > 0", bytes) }
            guard let wanted = Self.text(bytes) else { return .unknown }
            let length = Int64(wanted.unicodeScalars.count)
            return FilterSQL("substr(\(text), length(\(text)) - ? + 1) = ?", [.integer(length), .text(wanted)])
        }
    }

    /// The same by way of the different values, which an index on this column and `id` finds one after the other.
    ///
    /// There are few hosts in a log of a million exchanges, and asking each row took a hundred times as long.
    func sqlByIndex(_ shape: PatternShape) -> FilterSQL {
        switch shape {
        case .equals, .prefix: return sql(shape)
        case .contains, .suffix, .needs:
            var found = FilterColumn("value", isSmall: isSmall).sql(shape)
            guard found.condition != "TRUE" else { return found }
            found.condition = """
                \(name) IN (WITH RECURSIVE different(value) AS (SELECT min(\(name)) FROM exchange UNION ALL \
                SELECT (SELECT min(\(name)) FROM exchange WHERE \(name) > value) FROM different \
                WHERE value IS NOT NULL) SELECT value FROM different WHERE \(found.condition))
                """
            return found
        }
    }

    private func condition(_ condition: String, _ bytes: some Sequence<UInt8>, isExact: Bool = true) -> FilterSQL {
        guard let text = Self.text(bytes) else { return .unknown }
        return FilterSQL(condition, [.text(text)], isExact: isExact)
    }

    /// Nil for what cannot be a parameter: bytes that are no text, and NUL, at which SQLite's functions end.
    private static func text(_ bytes: some Sequence<UInt8>) -> String? {
        let bytes = Array(bytes)
        return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
    }
}
