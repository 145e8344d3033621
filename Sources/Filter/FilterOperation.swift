/// The operations of GraphQL that an exchange has as one text: `query Cart, mutation Pay`.
enum FilterOperation {
    /// Those of gRPC have a slash, which no name of GraphQL has.
    static let isOfGraphQL = "(operation IS NOT NULL AND instr(operation, '/') = 0)"

    /// Kind and name of each, and its name alone; empty for other exchanges.
    static func labels(_ operation: String?) -> [String] {
        guard let operation, !operation.utf8.contains(UInt8(ascii: "/")) else { return [] }
        let end = operation.firstRange(of: " and ")?.lowerBound ?? operation.endIndex
        return operation[..<end].split(separator: ", ").flatMap { label in
            let words = label.split(separator: " ", maxSplits: 1)
            return words.count == 2 ? [String(label), String(words[1])] : [String(label)]
        }
    }
}
