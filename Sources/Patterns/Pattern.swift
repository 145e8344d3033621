/// A regular expression, or plain text, to be found anywhere in a text; ASCII letters in either case.
public struct Pattern: Sendable {
    /// Conditions for a database, one per alternative; nil if there are none.
    public let shapes: [PatternShape]?
    /// Steps that it takes; none for plain text.
    public let cost: Int
    private let literal: LiteralSearch?
    private let program: PatternProgram?
    /// Something that every match has, which is found faster than the match.
    private let needed: LiteralSearch?

    /// Reads a regular expression.
    ///
    /// - Parameters:
    ///   - isWhole: Whether it has to cover a text from its start to its end.
    ///   - limit: The steps that it may take.
    public init(
        _ text: [Character], dots: PatternDots = .anyByte, isWhole: Bool = false, limit: Int
    ) throws(PatternFailure) {
        var parser = PatternParser(text, dots: dots)
        let parsed = try parser.parse()
        try self.init(isWhole ? parsed.whole : parsed, limit: limit)
    }

    /// Reads a regular expression as ECMAScript has them with the flag `u`, apart from constructs that take more than
    /// linear time and from `\\p` with anything but a general category.
    public init(ecmaScript text: String, limit: Int) throws(PatternFailure) {
        var parser = PatternParser(text.unicodeScalars.map(Character.init), dots: .anyByte, isECMAScript: true)
        try self.init(try parser.parse(), limit: limit)
    }

    private init(_ node: PatternNode, limit: Int) throws(PatternFailure) {
        let shapes = PatternShape.all(of: node)
        let only = shapes?.count == 1 ? shapes?.first : nil
        self.shapes = shapes
        if case .contains(let bytes)? = only {
            literal = LiteralSearch(bytes)
            program = nil
        } else if let program = PatternProgram(node, limit: limit) {
            literal = nil
            self.program = program
        } else {
            throw PatternFailure(
                message: "a pattern that is too large",
                expected: "fewer or smaller repetitions: \(limit) steps at most", index: 0, isTooLarge: true)
        }
        cost = program?.instructions.count ?? 0
        needed = if case .needs(let bytes)? = only { LiteralSearch(bytes) } else { nil }
    }

    /// Plain text, in small letters.
    public init(literal bytes: [UInt8]) {
        shapes = [.contains(bytes)]
        cost = 0
        literal = LiteralSearch(bytes)
        program = nil
        needed = nil
    }

    public func isFound(in text: String) -> Bool {
        var text = text
        return text.withUTF8 { isFound(in: UnsafeRawBufferPointer($0)) }
    }

    public func isFound(in bytes: UnsafeRawBufferPointer) -> Bool {
        if let needed {
            var length = 0
            guard needed.feed(bytes, length: &length) else { return false }
        }
        var search = search()
        return search.feed(bytes) || search.finish()
    }

    /// Begins a search through text that comes in pieces.
    public func search() -> Search { Search(literal: literal, matcher: program.map(PatternMatcher.init)) }

    /// A search that is under way.
    public struct Search {
        fileprivate let literal: LiteralSearch?
        fileprivate var length = 0
        fileprivate var matcher: PatternMatcher?

        fileprivate init(literal: LiteralSearch?, matcher: PatternMatcher?) {
            self.literal = literal
            self.matcher = matcher
        }

        /// Whether it is found already.
        public mutating func feed(_ bytes: UnsafeRawBufferPointer) -> Bool {
            literal?.feed(bytes, length: &length) ?? matcher?.feed(bytes) ?? false
        }

        /// Whether it is found, now that nothing follows.
        public mutating func finish() -> Bool {
            // Without this, plain text that is empty would not be found in nothing.
            literal?.feed(UnsafeRawBufferPointer(start: nil, count: 0), length: &length) ?? matcher?.finish() ?? false
        }
    }
}
