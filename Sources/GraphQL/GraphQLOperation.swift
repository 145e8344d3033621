/// An operation of a GraphQL document, read as far as needed to tell a query from a mutation.
///
/// The October 2021 edition of the GraphQL specification, section 2, and the GraphQL over HTTP draft.
package struct GraphQLOperation: Equatable, Sendable {
    package enum Kind: String, Sendable, CaseIterable { case query, mutation, subscription }

    /// nil where only its name is known, since the document is stored at the server.
    package let kind: Kind?
    package let name: String?

    package init(kind: Kind?, name: String?) {
        self.kind = kind
        self.name = name
    }

    /// `query Cart`.
    package var label: String { [kind?.rawValue, name].compactMap { $0 }.joined(separator: " ") }

    /// Several labels as one text: `query Cart, mutation Pay`; nil where none says anything.
    package static func text(of labels: [String]) -> String? {
        let known = labels.filter { !$0.isEmpty }
        guard !known.isEmpty else { return nil }
        let more = known.count > maxNamed ? " and \(known.count - maxNamed) more" : ""
        return known.prefix(maxNamed).map { String($0.prefix(maxLength)) }.joined(separator: ", ") + more
    }

    /// Operations that are named, and characters of each.
    private static let (maxNamed, maxLength) = (8, 120)

    /// The operations of a document; nil if the document cannot be executed.
    package static func read(_ document: [UInt8]) -> [GraphQLOperation]? {
        var lexer = GraphQLLexer(bytes: document)
        var operations: [GraphQLOperation] = []
        while let token = lexer.next() {
            switch token {
            case .open(UInt8(ascii: "{")):
                operations.append(GraphQLOperation(kind: .query, name: nil))
                guard lexer.skipGroup(UInt8(ascii: "{")) else { return nil }
            case .name("fragment"):
                guard lexer.skipToSelection() != nil else { return nil }
            case .name(let word):
                guard let kind = Kind(rawValue: word), let name = lexer.skipToSelection() else { return nil }
                operations.append(GraphQLOperation(kind: kind, name: name.isEmpty ? nil : name))
            default: return nil
            }
        }
        return lexer.isBroken ? nil : operations
    }
}
