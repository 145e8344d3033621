/// The reason of a failure in one clause, for a line that has named the origin already; `shunt show` has all of it.
package enum FailureClause {
    private static let maxLength = 160

    /// - Parameter origin: its name as messages write it; nil where the line names none.
    package static func text(_ message: String, origin: String?) -> String {
        var text = message
        if let origin {
            // The host is a part of the origin's name.
            if text.hasPrefix("the name "), let place = text.firstRange(of: " of origin \(origin) has no address") {
                text = "has no address for its name" + text[place.upperBound...]
            }
            for (long, short) in phrases(origin) where text.contains(long) {
                text = text.replacing(long, with: short)
            }
        }
        text = text.replacing("the origin's certificate was rejected: ", with: "certificate rejected: ")
        let clause = text.prefix(while: { $0 != ";" && $0 != "(" })
        // A message that begins with a parenthesis has no other clause.
        if !clause.isEmpty { text = String(clause) }
        while text.last == " " || text.last == ":" { text.removeLast() }
        return text.count > maxLength ? text.prefix(maxLength - 1) + "…" : text
    }

    /// What messages about an origin say where a line has its name, and what the line says instead.
    private static func phrases(_ origin: String) -> [(String, String)] {
        [
            ("no TLS connection to origin \(origin): ", "no TLS: "),
            ("no HTTP/2 with origin \(origin): ", "no HTTP/2: "),
            ("checks for origin \(origin) ", "checks "), (" on the way to \(origin) ", " on the way "),
            (" of origin \(origin) ", " "), ("origin \(origin) ", ""),
        ]
    }
}
