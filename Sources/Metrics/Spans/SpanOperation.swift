/// The operation of GraphQL that an exchange asks for, in OpenTelemetry's words.
enum SpanOperation {
    private static let kinds = ["query", "mutation", "subscription"]

    /// Of a batch nothing, since the attributes are for one operation.
    ///
    /// - Parameter operation: `query Cart`; that of gRPC has a slash.
    static func attributes(_ operation: String?) -> [(name: String, value: SpanValue?)] {
        guard let operation, !operation.utf8.contains(where: { "/,".utf8.contains($0) }) else { return [] }
        let words = operation.split(separator: " ").map(String.init)
        let kind = words.first.flatMap { kinds.contains($0) ? $0 : nil }
        let name = kind == nil ? words.first : words.dropFirst().first
        return [
            ("graphql.operation.name", name.map(SpanValue.text)), ("graphql.operation.type", kind.map(SpanValue.text)),
        ]
    }
}
