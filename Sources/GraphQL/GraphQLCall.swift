import Bytes
package import JSON

/// What a client asks of a GraphQL server: the members that the GraphQL over HTTP draft names, read forgivingly.
///
/// For the guard of production, which must not err, `GraphQLRequest` of the engine reads requests strictly.
package struct GraphQLCall: Sendable {
    package let document: String?
    package let operationName: String?
    package let variables: JSONValue?
    /// The name of a document that the server has stored: its hash, or an identifier.
    package let stored: String?
    /// The operation that it chooses.
    package let operation: GraphQLOperation

    /// nil where the members do not say that they are a call.
    init?(document: String?, operationName: String?, variables: JSONValue?, stored: String?) {
        let name = operationName.flatMap { $0.isEmpty ? nil : $0 }
        (self.document, self.operationName, self.variables, self.stored) = (document, name, variables, stored)
        guard let document else {
            guard stored != nil else { return nil }
            operation = GraphQLOperation(kind: nil, name: name)
            return
        }
        guard let operations = GraphQLOperation.read(Array(document.utf8)), !operations.isEmpty else { return nil }
        let chosen = name.map { name in operations.filter { $0.name == name } } ?? operations
        operation = chosen.count == 1 ? chosen[0] : GraphQLOperation(kind: Self.common(operations), name: name)
    }

    /// The kind that all operations have.
    private static func common(_ operations: [GraphQLOperation]) -> GraphQLOperation.Kind? {
        operations.allSatisfy { $0.kind == operations[0].kind } ? operations[0].kind : nil
    }

    init?(_ value: JSONValue) {
        guard value.object != nil else { return nil }
        let extensions = value["extensions"]
        let stored = Self.hash(extensions) ?? value["documentId"]?.string ?? value["doc_id"]?.string
        self.init(
            document: value["query"]?.string, operationName: value["operationName"]?.string,
            variables: value["variables"], stored: stored)
    }

    /// Of Apollo's automatic persisted queries.
    private static func hash(_ extensions: JSONValue?) -> String? {
        extensions?["persistedQuery"]?["sha256Hash"]?.string
    }

    /// The call of a body of JSON, or all of a batch; empty where some item is none.
    package static func all(in body: JSONValue) -> [GraphQLCall] {
        guard let items = body.array else { return GraphQLCall(body).map { [$0] } ?? [] }
        let calls = items.compactMap(GraphQLCall.init)
        return calls.count == items.count ? calls : []
    }

    /// The call in the parameters of a URL or of a form.
    ///
    /// - Parameter value: gives the decoded value of a parameter.
    package init?(parameters value: (String) -> String?) {
        func json(_ name: String) -> JSONValue? {
            value(name).flatMap { try? JSONReader.read(Array($0.utf8), dialect: .strict, sizeLimit: Self.limit) }
        }
        self.init(
            document: value("query"), operationName: value("operationName"), variables: json("variables"),
            stored: Self.hash(json("extensions")) ?? value("documentId") ?? value("doc_id"))
    }

    /// Bytes of a body that is looked at; longer ones are left alone.
    package static let limit = 256 << 10
}

extension GraphQLCall {
    /// The calls of a request, by its media type in small letters; empty where it is none of GraphQL.
    ///
    /// - Parameters:
    ///   - query: of the URL.
    ///   - isWhole: whether all of the body is there; of an upload its first part is enough.
    package static func all(
        body: ArraySlice<UInt8>, type: String, query: ArraySlice<UInt8>, isWhole: Bool = true
    ) -> [GraphQLCall] {
        func one(_ call: GraphQLCall?) -> [GraphQLCall] { call.map { [$0] } ?? [] }
        func call(in text: ArraySlice<UInt8>) -> GraphQLCall? {
            mayHaveCall(parameters: text) ? GraphQLCall(parameters: { parameter($0, of: text) }) : nil
        }
        guard !body.isEmpty else { return query.isEmpty ? [] : one(call(in: query)) }
        switch type {
        case "multipart/form-data": return operations(ofUpload: body).map { all(json: $0) } ?? []
        case _ where !isWhole || body.count > limit: return []
        case "application/graphql":
            return one(
                GraphQLCall(
                    document: String(decoding: body, as: UTF8.self),
                    operationName: parameter("operationName", of: query), variables: nil, stored: nil))
        case "application/x-www-form-urlencoded": return one(call(in: body))
        default: return all(json: Array(body))
        }
    }

    /// Whether bytes have a word that a call in JSON has; few others have one.
    package static func mayHaveCall(_ bytes: ArraySlice<UInt8>) -> Bool { has(words, bytes) }

    private static let words = ["query", "persistedQuery", "documentId", "doc_id"].map { Array("\"\($0)\"".utf8) }

    /// Whether bytes have one of some words in quotes.
    static func has(_ words: [[UInt8]], _ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            bytes.indices.contains { at in
                bytes[at] == UInt8(ascii: "\"") && words.contains { bytes[at...].starts(with: $0) }
            }
        }
    }

    private static func all(json: [UInt8]) -> [GraphQLCall] {
        guard mayHaveCall(json[...]), let value = try? JSONReader.read(json, dialect: .strict, sizeLimit: limit) else {
            return []
        }
        return all(in: value)
    }

    /// Whether a parameter is there that makes a call; few URLs have one, and all of them are looked at.
    private static func mayHaveCall(parameters text: ArraySlice<UInt8>) -> Bool {
        text.withUnsafeBufferPointer { bytes in
            var isBegin = true
            for at in bytes.indices {
                if isBegin, callNames.contains(where: { bytes[at...].starts(with: $0) }) { return true }
                isBegin = bytes[at] == UInt8(ascii: "&")
            }
            return false
        }
    }

    private static let callNames = ["query", "extensions", "documentId", "doc_id"].map { Array($0.utf8) }

    /// The decoded value of a parameter of a URL or a form.
    private static func parameter(_ name: String, of text: ArraySlice<UInt8>) -> String? {
        for pair in text.split(separator: UInt8(ascii: "&")) {
            let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard pair[..<end].elementsEqual(name.utf8) else { continue }
            return String(decoding: FormCoding.decoded(Array(pair[end...].dropFirst())), as: UTF8.self)
        }
        return nil
    }

    /// The part of an upload that has the calls: the first one (GraphQL multipart request specification).
    private static func operations(ofUpload body: ArraySlice<UInt8>) -> [UInt8]? {
        let end = [0x0D, 0x0A] as [UInt8]
        guard body.starts(with: Array("--".utf8)), let line = body.firstRange(of: end) else { return nil }
        let boundary = body[..<line.lowerBound]
        guard let head = body[line.upperBound...].firstRange(of: end + end),
            body[line.upperBound..<head.lowerBound].firstRange(of: Array("name=\"operations\"".utf8)) != nil,
            let close = body[head.upperBound...].firstRange(of: end + boundary)
        else { return nil }
        return Array(body[head.upperBound..<close.lowerBound].prefix(limit + 1))
    }
}

extension GraphQLCall {
    /// The call that a message of a WebSocket makes, in the protocols graphql-transport-ws and graphql-ws (the older
    /// one); nil for another message.
    package init?(message: ArraySlice<UInt8>) {
        guard message.count <= Self.limit, Self.mayHaveCall(message),
            let value = try? JSONReader.read(Array(message), dialect: .strict, sizeLimit: Self.limit),
            let type = value["type"]?.string, type == "subscribe" || type == "start", let payload = value["payload"]
        else { return nil }
        self.init(payload)
    }
}
