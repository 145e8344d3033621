/// Reads a regular expression, in the syntax that Python, Perl and ICU have in common.
///
/// Constructs that need more than linear time (back-references, looking ahead or behind) are refused.
struct PatternParser {
    private let characters: [Character]
    private let dots: PatternDots
    /// In ECMAScript's syntax letters have to be in the same case, and a class has characters, not bytes.
    let isECMAScript: Bool
    private var position = 0
    private var depth = 0

    /// Deeper groups are refused, so that recursion is bounded.
    private static let deepest = 32
    /// The largest number in braces.
    static let maxRepeated = 1000

    init(_ characters: [Character], dots: PatternDots, isECMAScript: Bool = false) {
        self.characters = characters
        self.dots = dots
        self.isECMAScript = isECMAScript
    }

    mutating func parse() throws(PatternFailure) -> PatternNode {
        let node = try choice()
        if peek() != nil { throw failure("a ) without its (", expected: "\\) for a parenthesis to be found") }
        return node
    }

    private mutating func choice() throws(PatternFailure) -> PatternNode {
        var alternatives = [try sequence()]
        while take("|") { alternatives.append(try sequence()) }
        return alternatives.count == 1 ? alternatives[0] : .choice(alternatives)
    }

    private mutating func sequence() throws(PatternFailure) -> PatternNode {
        var parts: [PatternNode] = []
        while let next = peek(), next != "|", next != ")" {
            let atom = try atom()
            if let (minimum, limit) = try quantifier() {
                parts.append(.repetition(atom, minimum, limit))
            } else if case .bytes(let more) = atom, case .bytes(let bytes)? = parts.last {
                parts[parts.count - 1] = .bytes(bytes + more)
            } else {
                parts.append(atom)
            }
        }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    private mutating func atom() throws(PatternFailure) -> PatternNode {
        let start = position
        guard let character = take() else { throw failure("the pattern ends early", expected: "a character") }
        switch character {
        case "(": return try group(from: start)
        case "[" where isECMAScript: return try characterClass(from: start).node
        case "\\" where isECMAScript: return try characterEscape(from: start)
        case "." where isECMAScript: return .scalar(.lineBreaks.inverted)
        case "[": return .set(try brackets(from: start))
        case "\\": return try escape(from: start)
        case "^": return .assertion(.start)
        case "$": return .assertion(.end)
        case ".":
            // A dot that is repeated can only have been meant as any byte.
            if dots == .literal, !isAtQuantifier { return .bytes([UInt8(ascii: ".")]) }
            return .set(.any)
        case "*", "+", "?":
            throw failure(
                "nothing before \(character) to repeat", at: start, expected: ".\(character) or \\\(character)")
        default: return isECMAScript ? .exactly(character) : .bytes(character.utf8.map(\.folded))
        }
    }

    private mutating func group(from start: Int) throws(PatternFailure) -> PatternNode {
        if take("?"), !take(":"), !takeName() {
            throw failure(
                "an unknown kind of group", at: start,
                expected: "(…) or (?:…); looking ahead or behind is not supported")
        }
        depth += 1
        guard depth <= Self.deepest else {
            throw failure("too many groups within groups", at: start, expected: "at most \(Self.deepest)")
        }
        let node = try choice()
        depth -= 1
        guard take(")") else {
            throw failure("a ( without its )", at: start, expected: "a closing ), or \\( for a parenthesis to be found")
        }
        return node
    }

    private mutating func escape(from start: Int) throws(PatternFailure) -> PatternNode {
        switch try PatternEscape(taking: &self, from: start) {
        case .byte(let byte): .bytes([byte.folded])
        case .set(let set): .set(set)
        case .assertion(let assertion): .assertion(assertion)
        }
    }

    mutating func take() -> Character? {
        guard let character = peek() else { return nil }
        position += 1
        return character
    }

    mutating func take(_ wanted: Character) -> Bool {
        guard peek() == wanted else { return false }
        position += 1
        return true
    }

    func peek(ahead: Int = 0) -> Character? {
        let index = position + ahead
        return index < characters.count ? characters[index] : nil
    }

    mutating func skip(_ count: Int) { position += count }

    var offset: Int { position }

    func failure(_ message: String, at index: Int? = nil, expected: String) -> PatternFailure {
        PatternFailure(message: message, expected: expected, index: index ?? position)
    }
}

/// The bytes that a dot matches.
public enum PatternDots: Sendable {
    case anyByte
    /// A dot, unless it is repeated: names of hosts and addresses are full of them.
    case literal
}
