/// An operation of a GraphQL document, read as far as needed to tell a query from a mutation.
///
/// The October 2021 edition of the GraphQL specification, section 2, and the GraphQL over HTTP draft.
package struct GraphQLOperation: Equatable {
    package enum Kind: String { case query, mutation, subscription }

    package let kind: Kind
    package let name: String?

    package init(kind: Kind, name: String?) {
        self.kind = kind
        self.name = name
    }

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
