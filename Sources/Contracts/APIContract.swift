/// A document of OpenAPI 3.0 or 3.1, read once, that messages are compared with.
public struct APIContract: Sendable {
    enum Location: String, Sendable {
        case path, query, header, cookie
    }

    enum Style: String, Sendable {
        case simple, label, matrix, form, spaceDelimited, pipeDelimited, deepObject
    }

    /// A parameter of a request, or a field of a response.
    struct Parameter: Sendable {
        let name: String
        let location: Location
        let isRequired: Bool
        let style: Style
        let explodes: Bool
        let mayBeEmpty: Bool
        let schema: Int?
        /// Its value is JSON (`content`).
        let isJSON: Bool
        let place: ContractPlace
    }

    /// How a field of a form stands in it.
    struct Encoding: Sendable {
        let name: String
        let style: Style
        let explodes: Bool
        /// The style is said, and counts.
        let hasStyle: Bool
        /// Its media types, as of ``Content``; nil where none is said.
        let types: [String]?
        /// Of a part of a multipart body.
        let fields: [Parameter]

        var isJSON: Bool { types?.contains { MediaRange.isJSON($0) } ?? false }
    }

    /// A body of one media type.
    struct Content: Sendable {
        /// In small letters, without parameters; may be `image/*` or `*/*`.
        let type: String
        let schema: Int?
        /// What is said of single fields of a form.
        let encodings: [Encoding]
        let examples: [(name: String, value: ContractSources.Located)]
        let place: ContractPlace
    }

    struct Body: Sendable {
        let isRequired: Bool
        let contents: [Content]
        let place: ContractPlace
    }

    struct Response: Sendable {
        /// `200`, `2XX` or `default`.
        let status: String
        let fields: [Parameter]
        let contents: [Content]
        let place: ContractPlace
    }

    public struct Operation: Sendable {
        public let method: String
        /// The template of its path.
        public let path: String
        public let place: ContractPlace
        let parameters: [Parameter]
        /// Parameters of security schemes, which are not checked.
        let keys: Set<String>
        let body: Body?
        let responses: [Response]
    }

    /// The operations of a path.
    struct Item: Sendable {
        let path: String
        let place: ContractPlace
        /// The path of its first server.
        let base: String
        var operations: [Int] = []
        /// The names in the template, in their order.
        let names: [String]
    }

    public let title: String
    /// `paths`, for requests to others.
    public let place: ContractPlace
    public let operations: [Operation]
    let items: [Item]
    let tree: PathTree
    let graph: SchemaSet

    /// Reads a document with all files that it refers to.
    ///
    /// - Parameter name: how messages name the file.
    public init(
        _ path: String, name: String, sources: ContractSources = ContractSources(), assertsFormats: Bool = false
    ) throws(ContractProblems) {
        let document: Int
        do throws(ContractProblem) { document = try sources.open(path, name: name) } catch {
            throw ContractProblems([error])
        }
        let reader = try APIReader(sources, document, assertsFormats: assertsFormats)
        self = try reader.read()
    }

    init(
        title: String, place: ContractPlace, operations: [Operation], items: [Item], tree: PathTree, graph: SchemaSet
    ) {
        (self.title, self.place, self.operations, self.items) = (title, place, operations, items)
        (self.tree, self.graph) = (tree, graph)
    }
}
