public import JSON

/// Compiled schemas, which refer to each other.
public final class SchemaSet: Sendable {
    struct Resource: Sendable {
        /// Schemas by the names of their `$dynamicAnchor`.
        var dynamicAnchors: [String: Int] = [:]
    }

    let nodes: ContiguousArray<SchemaNode>
    /// What the nodes point to.
    private let rules: SchemaRules
    let resources: [Resource]
    /// Of the documents.
    let names: [String]

    init(nodes: ContiguousArray<SchemaNode>, rules: SchemaRules, resources: [Resource], names: [String]) {
        (self.nodes, self.rules, self.resources, self.names) = (nodes, rules, resources, names)
    }

    func place(_ node: Int, keyword: String? = nil) -> ContractPlace {
        let source = nodes[node].source
        let value = keyword.flatMap { source.value[$0] } ?? source.value
        return ContractPlace(
            file: names[source.document], line: value.position.line, column: value.position.column,
            pointer: source.pointer + (keyword.map { ContractPlace.step($0) } ?? ""))
    }
}

/// A JSON Schema of draft 2020-12, or of OpenAPI, compiled once.
public struct Schema: Sendable {
    let graph: SchemaSet
    let node: Int

    /// Compiles the schema of a whole document.
    ///
    /// - Parameter refusesUnknown: whether a keyword that is none is a problem, unless it begins with `x-`.
    public init(
        document: Int, of sources: ContractSources, refusesUnknown: Bool = false, assertsFormats: Bool = false
    ) throws(ContractProblems) {
        let compiler = SchemaCompiler(
            sources, .draft2020, refusesUnknown: refusesUnknown, assertsFormats: assertsFormats)
        node = compiler.add(sources.root(document))
        graph = try compiler.finish()
    }

    init(_ graph: SchemaSet, node: Int) { (self.graph, self.node) = (graph, node) }

    public var place: ContractPlace { graph.place(node) }

    /// What is wrong with a value, at most so many things.
    ///
    /// - Parameter mask: a string that has these bytes stands for a value that is not known, and is never wrong.
    public func failures(
        of tape: JSONTape, most: Int = 1, direction: SchemaDirection? = nil, mask: StaticString? = nil
    ) -> [SchemaFailure] {
        tape.bytes.withUnsafeBufferPointer { bytes in
            tape.entries.withUnsafeBufferPointer { entries in
                graph.nodes.withUnsafeBufferPointer { nodes in
                    guard let bytes = bytes.baseAddress, let entries = entries.baseAddress else { return [] }
                    var run = SchemaRun(graph, nodes, tape, entries, bytes, direction: direction, mask: mask)
                    return run.failures(of: node, most: most)
                }
            }
        }
    }
}

/// A value that does not fit its schema.
public struct SchemaFailure: Hashable, Sendable {
    /// Where in the value, as ``JSONPath`` has it.
    public let path: String
    public let message: String
    public let keyword: String
    public let rule: ContractPlace

    /// `$.total is "0", not number`.
    public var text: String { path + message }
}
