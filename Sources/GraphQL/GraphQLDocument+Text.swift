import JSON

// Documents as text, in the shape in which graphql-js prints them.
extension GraphQLDocument {
    /// Lines without their ends.
    package var lines: [String] {
        var printer = GraphQLPrinter()
        for operation in operations {
            printer.separate()
            printer.write(operation)
        }
        for fragment in fragments {
            printer.separate()
            printer.write(fragment)
        }
        return printer.lines
    }
}

private struct GraphQLPrinter {
    private(set) var lines: [String] = []
    private var depth = 0

    /// An empty line between definitions.
    mutating func separate() { if !lines.isEmpty { lines.append("") } }

    mutating func write(_ operation: GraphQLDocument.Operation) {
        let isShort =
            operation.kind == .query && operation.name == nil && operation.variables.isEmpty
            && operation.directives.isEmpty
        var head = isShort ? "" : [operation.kind.rawValue, operation.name].compactMap(\.self).joined(separator: " ")
        if !operation.variables.isEmpty {
            let variables = operation.variables.map { variable in
                "$\(variable.name): \(variable.type)" + (variable.usual.map { " = \($0.text)" } ?? "")
                    + Self.text(variable.directives)
            }
            head += (operation.name == nil ? " " : "") + "(\(variables.joined(separator: ", ")))"
        }
        head += Self.text(operation.directives)
        write(operation.selections, behind: head)
    }

    mutating func write(_ fragment: GraphQLDocument.Fragment) {
        write(
            fragment.selections,
            behind: "fragment \(fragment.name) on \(fragment.condition)" + Self.text(fragment.directives))
    }

    private mutating func add(_ text: String) { lines.append(String(repeating: "  ", count: depth) + text) }

    private mutating func write(_ selections: [GraphQLDocument.Selection], behind head: String) {
        add(head.isEmpty ? "{" : head + " {")
        depth += 1
        for selection in selections { write(selection) }
        depth -= 1
        add("}")
    }

    private mutating func write(_ selection: GraphQLDocument.Selection) {
        switch selection {
        case .field(let field):
            let head =
                (field.alias.map { "\($0): " } ?? "") + field.name + Self.text(field.arguments)
                + Self.text(field.directives)
            if field.selections.isEmpty { add(head) } else { write(field.selections, behind: head) }
        case .spread(let name, let directives, _): add("...\(name)" + Self.text(directives))
        case .inline(let condition, let directives, let selections, _):
            write(selections, behind: "..." + (condition.map { " on \($0)" } ?? "") + Self.text(directives))
        }
    }

    private static func text(_ directives: [GraphQLDocument.Directive]) -> String {
        directives.map { " @\($0.name)" + text($0.arguments) }.joined()
    }

    private static func text(_ arguments: [GraphQLDocument.Argument]) -> String {
        guard !arguments.isEmpty else { return "" }
        return "(\(arguments.map { "\($0.name): \($0.value.text)" }.joined(separator: ", ")))"
    }
}

extension GraphQLValue {
    /// As a document has it.
    package var text: String {
        switch self {
        case .variable(let name): return "$\(name)"
        case .int(let text), .float(let text), .name(let text): return text
        case .bool(let flag): return flag ? "true" : "false"
        case .null: return "null"
        case .string(let text):
            return JSONWriter.text(of: text)
        case .list(let items): return "[\(items.map(\.text).joined(separator: ", "))]"
        case .object(let members):
            if members.isEmpty { return "{}" }
            return "{ \(members.map { "\($0.name): \($0.value.text)" }.joined(separator: ", ")) }"
        }
    }
}
