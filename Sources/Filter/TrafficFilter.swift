import Platform

/// Which exchanges are wanted, in mitmproxy's filter language.
///
/// Operators are those of `operators`; `!` binds tighter than `&`, `&` tighter than `|`, and terms side by side are
/// joined by `&`. A word or quoted text alone is searched for in the URL. A word ends at space; `&` and `|` within it
/// are part of it. In quotes, a backslash before the same quote stands for the quote.
///
/// Patterns are regular expressions as Python and Perl have them, without back-references and without looking ahead or
/// behind. They are found anywhere (`~env` and `~trust` take whole names), in bytes, ASCII letters in either case; `.`
/// is any byte, but in hosts, addresses and names it is a dot unless it is repeated.
///
/// A filter has at most 4096 bytes, 100 terms and 8 levels, and all its patterns together at most 500 steps; plain
/// text takes none. A search takes time in proportion to text × steps, whatever the pattern: a megabyte that keeps 500
/// steps busy takes seconds, and one that was not made for it milliseconds.
public struct TrafficFilter: Sendable {
    let root: FilterNode

    public static let maxBytes = 4096
    static let maxInstructions = 500

    /// Every operator, in the order of a help text.
    public static var operators: [FilterOperator] { FilterOperator.all }

    /// The same by what they ask about, for help texts.
    public static var subjects: [(title: String, operators: [FilterOperator])] { FilterOperator.subjects }

    /// Reads a filter; one without any term takes everything.
    ///
    /// - Parameter now: What ages count back from, in microseconds since 1970; nil asks the clock.
    public init(_ text: String, now: Int64? = nil) throws(FilterFailure) {
        do throws(FilterFailure) {
            guard text.utf8.count <= Self.maxBytes else {
                throw FilterFailure("a filter that is too long", column: 1, expected: "at most \(Self.maxBytes) bytes")
            }
            var parser = FilterParser(text, now: now ?? wallClock())
            root = try parser.parse()
        } catch {
            var failure = error
            failure.text = text
            throw failure
        }
    }

    /// The parts of a filter that `&` joins, each with its text, to find out which one an exchange fails.
    package static func conjuncts(
        of text: String, now: Int64? = nil
    ) throws(FilterFailure) -> [(text: String, filter: TrafficFilter)] {
        let whole = try TrafficFilter(text, now: now)
        var parser = FilterParser(text, now: now ?? wallClock())
        let characters = Array(text)
        let parts = try parser.conjuncts().map { part in
            let range = part.columns.lowerBound - 1..<min(part.columns.upperBound - 1, characters.count)
            var words = characters[range]
            while words.last?.isWhitespace == true { words.removeLast() }
            return (text: String(words), filter: TrafficFilter(root: part.node))
        }
        return parts.isEmpty && !text.isEmpty ? [(text, whole)] : parts
    }

    /// What one Shunt has recorded into a store of several, from a moment on.
    ///
    /// - Parameter time: microseconds since 1970, by the clock of that Shunt.
    package static func recorded(by node: String, since time: Int64) throws(FilterFailure) -> TrafficFilter {
        let name = node.map { $0.isLetter || $0.isNumber ? "\($0)" : "\\\($0)" }.joined()
        return TrafficFilter(root: .and([try TrafficFilter("~node \"\(name)\"").root, .term(.since(time))]))
    }

    /// What came behind a number.
    package static func after(_ id: Int64) -> TrafficFilter {
        TrafficFilter(root: .term(.identifiers([min(id, .max - 1) + 1 ... .max])))
    }

    /// Takes everything.
    package static let all = TrafficFilter(root: .term(.all))

    private init(root: FilterNode) { self.root = root }

    /// Whether the exchange is wanted; heads and bodies are asked for only where all else leaves it open.
    public func matches(_ subject: some FilterSubject) -> Bool { root.matches(subject) }

    /// A condition that selects the same exchanges from the log, or more if it says so.
    public var sql: FilterSQL { sql(hasNodes: false) }

    /// - Parameter hasNodes: the log has a table `recorder` with the names of nodes, and each exchange the number of its
    ///   row.
    public func sql(hasNodes: Bool) -> FilterSQL { root.sql(hasNodes) }
}
