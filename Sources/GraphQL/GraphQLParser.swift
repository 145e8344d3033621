import JSON

/// Reads documents, and what documents of types have in common with them.
struct GraphQLParser {
    private var lexer: GraphQLLexer
    private(set) var token: GraphQLLexer.Token?
    /// Where the present token begins.
    private(set) var place = 0
    private var depth = 0

    init(_ bytes: [UInt8]) {
        lexer = GraphQLLexer(bytes: bytes)
        advance()
    }

    static func document(_ bytes: [UInt8]) throws(GraphQLProblem) -> GraphQLDocument {
        var parser = GraphQLParser(bytes)
        return try parser.document()
    }

    private mutating func document() throws(GraphQLProblem) -> GraphQLDocument {
        var operations: [GraphQLDocument.Operation] = []
        var fragments: [GraphQLDocument.Fragment] = []
        while token != nil {
            if takes(word: "fragment") { fragments.append(try fragment()) } else { operations.append(try operation()) }
        }
        try end()
        guard !operations.isEmpty || !fragments.isEmpty else { throw unexpected("an operation") }
        return try GraphQLDocument(operations: operations, fragments: fragments)
    }

    /// Throws where the text has ended within a string or with a comment that servers read differently.
    func end() throws(GraphQLProblem) {
        if lexer.isBroken {
            throw GraphQLProblem(place: place, message: "a string or a comment is broken", expected: "its end")
        }
    }

    // MARK: Tokens

    mutating func advance() {
        token = lexer.next()
        place = lexer.start
    }

    func unexpected(_ expected: String) -> GraphQLProblem {
        let found: String
        switch token {
        case .name(let name): found = "`\(name.prefix(80))`"
        case .number(let range), .string(let range):
            found = "`\(String(decoding: lexer.bytes[range].prefix(80), as: UTF8.self))`"
        case .open(let byte), .close(let byte), .mark(let byte): found = "`\(String(UnicodeScalar(byte)))`"
        case nil: found = "the end of the text"
        }
        return GraphQLProblem(place: place, message: "found \(found)", expected: expected)
    }

    /// Steps over a word if it is the next one.
    mutating func takes(word: String) -> Bool {
        guard token == .name(word) else { return false }
        advance()
        return true
    }

    mutating func takes(_ mark: Unicode.Scalar) -> Bool {
        guard isNext(mark) else { return false }
        advance()
        return true
    }

    func isNext(_ mark: Unicode.Scalar) -> Bool {
        let byte = UInt8(ascii: mark)
        return token == .mark(byte) || token == .open(byte) || token == .close(byte)
    }

    mutating func need(_ mark: Unicode.Scalar) throws(GraphQLProblem) {
        guard takes(mark) else { throw unexpected("`\(mark)`") }
    }

    mutating func name(_ what: String = "a name") throws(GraphQLProblem) -> String {
        guard case .name(let name) = token else { throw unexpected(what) }
        advance()
        return name
    }

    /// Items between two marks, at least one.
    mutating func items<Item>(
        _ open: Unicode.Scalar, _ close: Unicode.Scalar, orNone: Bool = false,
        _ read: (inout GraphQLParser) throws(GraphQLProblem) -> Item
    ) throws(GraphQLProblem) -> [Item] {
        try need(open)
        depth += 1
        guard depth <= NestingLimit.values else {
            throw GraphQLProblem(
                place: place, message: "the text nests too deeply", expected: "at most \(NestingLimit.values) levels")
        }
        var items: [Item] = []
        while !isNext(close) || items.isEmpty && !orNone { items.append(try read(&self)) }
        try need(close)
        depth -= 1
        return items
    }

    // MARK: Operations

    private mutating func operation() throws(GraphQLProblem) -> GraphQLDocument.Operation {
        let start = place
        if isNext("{") {
            return GraphQLDocument.Operation(
                kind: .query, name: nil, variables: [], directives: [], selections: try selections(), place: start)
        }
        guard case .name(let word) = token, let kind = GraphQLOperation.Kind(rawValue: word) else {
            throw unexpected("`query`, `mutation`, `subscription` or `fragment`")
        }
        advance()
        let name: String? = if case .name = token { try self.name() } else { nil }
        let variables =
            isNext("(")
            ? try items("(", ")") { (parser) throws(GraphQLProblem) in try parser.variable() } : []
        return GraphQLDocument.Operation(
            kind: kind, name: name, variables: variables, directives: try directives(), selections: try selections(),
            place: start)
    }

    private mutating func variable() throws(GraphQLProblem) -> GraphQLDocument.Variable {
        let start = place
        try need("$")
        let name = try self.name()
        try need(":")
        let type = try typeReference()
        let usual = takes("=") ? try value() : nil
        return GraphQLDocument.Variable(
            name: name, type: type, usual: usual, directives: try directives(), place: start)
    }

    private mutating func fragment() throws(GraphQLProblem) -> GraphQLDocument.Fragment {
        let start = place
        guard token != .name("on") else { throw unexpected("the fragment's name") }
        let name = try self.name("the fragment's name")
        guard takes(word: "on") else { throw unexpected("`on`") }
        return GraphQLDocument.Fragment(
            name: name, condition: try self.name("a type"), directives: try directives(),
            selections: try selections(), place: start)
    }

    private mutating func selections() throws(GraphQLProblem) -> [GraphQLDocument.Selection] {
        try items("{", "}") { (parser) throws(GraphQLProblem) in try parser.selection() }
    }

    private mutating func selection() throws(GraphQLProblem) -> GraphQLDocument.Selection {
        let start = place
        if takes(".") {
            try need(".")
            try need(".")
            if case .name(let name) = token, name != "on" {
                advance()
                return .spread(name, try directives(), place: start)
            }
            let condition = takes(word: "on") ? try name("a type") : nil
            return .inline(condition, try directives(), try selections(), place: start)
        }
        let first = try name("a field")
        let second = takes(":") ? try name("a field") : nil
        return .field(
            GraphQLDocument.Field(
                alias: second == nil ? nil : first, name: second ?? first, arguments: try arguments(),
                directives: try directives(), selections: isNext("{") ? try selections() : [], place: start))
    }

    private mutating func arguments() throws(GraphQLProblem) -> [GraphQLDocument.Argument] {
        guard isNext("(") else { return [] }
        return try items("(", ")") { (parser) throws(GraphQLProblem) in
            let start = parser.place
            let name = try parser.name("an argument")
            try parser.need(":")
            return GraphQLDocument.Argument(name: name, value: try parser.value(), place: start)
        }
    }

    mutating func directives() throws(GraphQLProblem) -> [GraphQLDocument.Directive] {
        var directives: [GraphQLDocument.Directive] = []
        while isNext("@") {
            let start = place
            advance()
            directives.append(
                GraphQLDocument.Directive(name: try name("a directive"), arguments: try arguments(), place: start))
        }
        return directives
    }

    // MARK: Types and values

    mutating func typeReference() throws(GraphQLProblem) -> GraphQLTypeReference {
        var type: GraphQLTypeReference
        if isNext("[") {
            let inner = try items("[", "]") { (parser) throws(GraphQLProblem) in try parser.typeReference() }
            guard inner.count == 1 else { throw unexpected("one type in a list") }
            type = .list(inner[0])
        } else {
            type = .named(try name("a type"))
        }
        if takes("!") { type = .nonNull(type) }
        return type
    }

    mutating func value() throws(GraphQLProblem) -> GraphQLValue {
        switch token {
        case .mark(UInt8(ascii: "$")):
            advance()
            return .variable(try name("a variable"))
        case .number(let range):
            let text = String(decoding: lexer.bytes[range], as: UTF8.self)
            advance()
            return text.utf8.contains { ".eE".utf8.contains($0) } ? .float(text) : .int(text)
        case .string: return .string(try string())
        case .name(let name):
            advance()
            switch name {
            case "true", "false": return .bool(name == "true")
            case "null": return .null
            default: return .name(name)
            }
        case .open(UInt8(ascii: "[")):
            return .list(
                try items("[", "]", orNone: true) { (parser) throws(GraphQLProblem) in try parser.value() })
        case .open(UInt8(ascii: "{")):
            return .object(
                try items("{", "}", orNone: true) { (parser) throws(GraphQLProblem) in
                    let name = try parser.name()
                    try parser.need(":")
                    return (name, try parser.value())
                })
        default: throw unexpected("a value")
        }
    }

    /// A string as it is meant.
    mutating func string() throws(GraphQLProblem) -> String {
        guard case .string(let range) = token else { throw unexpected("a string") }
        let text = GraphQLString.read(lexer.bytes[range])
        guard let text else {
            throw GraphQLProblem(
                place: place, message: "a string has an escape that is none",
                expected: "an escape like \\n or \\u00E9")
        }
        advance()
        return text
    }
}

/// Strings of documents, between their quotes and as they are meant (section 2.9.4).
enum GraphQLString {
    static func read(_ quoted: ArraySlice<UInt8>) -> String? {
        if quoted.starts(with: [0x22, 0x22, 0x22]) { return block(quoted.dropFirst(3).dropLast(3)) }
        var text = String.UnicodeScalarView()
        var rest = Substring(decoding: quoted.dropFirst().dropLast(), as: UTF8.self).unicodeScalars
        while let scalar = rest.popFirst() {
            guard scalar == "\\" else {
                text.append(scalar)
                continue
            }
            guard let escaped = rest.popFirst() else { return nil }
            if escaped == "u" {
                guard let unit = code(&rest) else { return nil }
                text.append(unit)
            } else {
                guard let meant = simple[escaped] else { return nil }
                text.append(meant)
            }
        }
        return String(text)
    }

    private static let simple: [Unicode.Scalar: Unicode.Scalar] = [
        "\"": "\"", "\\": "\\", "/": "/", "b": "\u{8}", "f": "\u{C}", "n": "\n", "r": "\r", "t": "\t",
    ]

    /// Four digits, or a pair of surrogates, or digits in braces.
    private static func code(_ rest: inout Substring.UnicodeScalarView) -> Unicode.Scalar? {
        func number(_ digits: Substring.UnicodeScalarView) -> UInt32? {
            digits.allSatisfy(\.properties.isASCIIHexDigit) ? UInt32(String(digits), radix: 16) : nil
        }
        if rest.first == "{" {
            guard let end = rest.firstIndex(of: "}") else { return nil }
            let digits = rest[rest.index(after: rest.startIndex)..<end]
            guard digits.count <= 8, let value = number(digits) else { return nil }
            rest = rest[rest.index(after: end)...]
            return Unicode.Scalar(value)
        }
        func four() -> UInt32? {
            let digits = rest.prefix(4)
            guard digits.count == 4 else { return nil }
            rest = rest.dropFirst(4)
            return number(digits)
        }
        guard let first = four() else { return nil }
        guard first >> 10 == 0xD800 >> 10 else { return Unicode.Scalar(first) }
        guard rest.starts(with: "\\u".unicodeScalars) else { return nil }
        rest = rest.dropFirst(2)
        guard let second = four(), second >> 10 == 0xDC00 >> 10 else { return nil }
        return Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF)
    }

    /// Without the indentation that all lines have, and without blank lines around it.
    private static func block(_ raw: ArraySlice<UInt8>) -> String {
        let text = String(decoding: raw, as: UTF8.self).replacing("\\\"\"\"", with: "\"\"\"")
        var lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
        func isBlank(_ line: Substring) -> Bool { line.allSatisfy { $0 == " " || $0 == "\t" } }
        let indent =
            lines.dropFirst().filter { !isBlank($0) }.map { $0.prefix { $0 == " " || $0 == "\t" }.count }.min() ?? 0
        for index in lines.indices.dropFirst() { lines[index] = lines[index].dropFirst(indent) }
        while let first = lines.first, isBlank(first) { lines.removeFirst() }
        while let last = lines.last, isBlank(last) { lines.removeLast() }
        return lines.joined(separator: "\n")
    }
}
