import Patterns

/// Reads a filter: `!` binds tighter than `&`, which can be left out, and that tighter than `|`.
struct FilterParser {
    private var scanner: FilterScanner
    private let now: Int64
    private var depth = 0
    private var terms = 0
    private var instructions = 0

    /// SQLite's parser has room for 100 symbols, and each level can take six of them; a query around it needs some, too.
    private static let deepest = 8
    /// SQLite takes expressions up to a depth of 1000, and each `AND` or `OR` is one.
    private static let maxTerms = 100

    init(_ text: String, now: Int64) {
        scanner = FilterScanner(text)
        self.now = now
    }

    mutating func parse() throws(FilterFailure) -> FilterNode {
        if scanner.peek() == nil { return .term(.all) }
        let node = try either()
        if scanner.peek() != nil { throw failure("a ) without its (", expected: "a filter, or the end") }
        return node
    }

    private mutating func either() throws(FilterFailure) -> FilterNode {
        var nodes = [try both()]
        while scanner.take("|") { nodes.append(try both()) }
        return nodes.count == 1 ? nodes[0] : .or(nodes.sorted { $0.effort < $1.effort })
    }

    private mutating func both() throws(FilterFailure) -> FilterNode {
        var nodes = [try negation()]
        while let next = scanner.peek(), next != "|", next != ")" {
            _ = scanner.take("&")
            nodes.append(try negation())
        }
        return nodes.count == 1 ? nodes[0] : .and(nodes.sorted { $0.effort < $1.effort })
    }

    /// The parts that `&` joins on the outermost level, with their places in the text; one where there is a `|`.
    mutating func conjuncts() throws(FilterFailure) -> [(columns: Range<Int>, node: FilterNode)] {
        var parts: [(columns: Range<Int>, node: FilterNode)] = []
        while scanner.peek() != nil {
            let start = scanner.column
            parts.append((start..<start, try negation()))
            parts[parts.count - 1].columns = start..<scanner.column
            if scanner.peek() == "|" { return [] }
            _ = scanner.take("&")
        }
        return parts
    }

    private mutating func negation() throws(FilterFailure) -> FilterNode {
        let next = scanner.peek()
        guard next == "!" || next == "(" else { return .term(try term()) }
        let start = scanner.column
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else {
            throw failure("too much within parentheses and !", expected: "at most \(Self.deepest) within each other")
        }
        if scanner.take("!") { return .not(try negation()) }
        _ = scanner.take("(")
        let node = try either()
        guard scanner.take(")") else {
            throw failure("a ( without its )", at: start, expected: "a closing ), or quotes around a pattern")
        }
        return node
    }

    private mutating func term() throws(FilterFailure) -> FilterTerm {
        terms += 1
        guard terms <= Self.maxTerms else {
            throw failure("too many words", expected: "at most \(Self.maxTerms) in a filter")
        }
        let next = scanner.peek()
        let start = scanner.column
        if scanner.take("~") {
            let name = scanner.takeName()
            guard let found = FilterOperator.all.first(where: { $0.name == name }) else {
                throw failure("unknown filter ~\(name)", at: start, expected: "one of \(Self.names)")
            }
            return try term(found)
        }
        guard next != nil, next != "&", next != "|", next != ")", let word = try scanner.takeArgument() else {
            throw failure(
                next.map { "nothing before \($0)" } ?? "the filter ends early",
                expected: "a filter like ~d HOST, or a part of a URL")
        }
        return .text(.url, try pattern(word.alsoEncoded, dots: .anyByte, isWhole: false))
    }

    private mutating func term(_ found: FilterOperator) throws(FilterFailure) -> FilterTerm {
        switch found.reading {
        case .nothing(let term): return term
        case .pattern(let dots, let isWhole, let make):
            let argument = try argument(of: found)
            return make(
                try pattern(found.name == "u" ? argument.alsoEncoded : argument, dots: dots, isWhole: isWhole))
        case .fixed(let text, let column):
            var whole = FilterArgument(at: scanner.column)
            for character in text { whole.append(character, column: scanner.column) }
            return .text(column, try pattern(whole, dots: .anyByte, isWhole: false))
        case .literal(let make):
            return make(Pattern(literal: try argument(of: found).unescaped.utf8.map(\.folded)))
        case .value(let expected, let make):
            let argument = try argument(of: found, endsAtOperators: true)
            guard let term = make(argument.text, now) else {
                throw failure("~\(found.name) with \"\(argument.text)\"", at: argument.column, expected: expected)
            }
            return term
        }
    }

    private mutating func argument(
        of found: FilterOperator, endsAtOperators: Bool = false
    ) throws(FilterFailure) -> FilterArgument {
        if let argument = try scanner.takeArgument(endsAtOperators: endsAtOperators) { return argument }
        throw failure("~\(found.name) with nothing behind it", expected: "~\(found.name) \(found.argument ?? "")")
    }

    private mutating func pattern(
        _ argument: FilterArgument, dots: PatternDots, isWhole: Bool
    ) throws(FilterFailure) -> Pattern {
        let limit = TrafficFilter.maxInstructions - instructions
        do throws(PatternFailure) {
            let pattern = try Pattern(argument.characters, dots: dots, isWhole: isWhole, limit: limit)
            instructions += pattern.cost
            return pattern
        } catch {
            guard !error.isTooLarge else {
                throw failure(
                    error.message, at: argument.column,
                    expected: "fewer or smaller repetitions: all patterns of a filter together have "
                        + "\(TrafficFilter.maxInstructions) steps at most")
            }
            throw failure(error.message, at: argument.column(of: error.index), expected: error.expected)
        }
    }

    private static var names: String {
        FilterOperator.all.map { "~" + $0.name }.joined(separator: " ")
    }

    private func failure(_ message: String, at column: Int? = nil, expected: String) -> FilterFailure {
        FilterFailure(message, column: column ?? scanner.column, expected: expected)
    }
}
