/// A request and its response, as far as they are known.
public struct ContractExchange {
    /// A head and its body.
    public struct Message {
        let fields: (String) -> [String]
        public let body: [UInt8]
        public let isWhole: Bool

        /// - Parameters:
        ///   - fields: the values of a field, by its name.
        ///   - isWhole: whether all of the body is there.
        public init(fields: @escaping (String) -> [String], body: [UInt8], isWhole: Bool) {
            (self.fields, self.body, self.isWhole) = (fields, body, isWhole)
        }

        public func field(_ name: String) -> String? {
            let values = fields(name)
            return values.isEmpty ? nil : values.joined(separator: ", ")
        }

        /// In small letters, without parameters; nil if there is none.
        public var mediaType: String? { field("Content-Type").map { MediaRange.essence($0) } }

        public var isJSON: Bool { mediaType.map { MediaRange.isJSON($0) } ?? false }
    }

    let method: String
    let path: String
    let query: String
    let request: Message
    let status: Int?
    let response: Message

    /// - Parameters:
    ///   - target: path and query.
    ///   - status: nil if there was no response.
    public init(method: String, target: String, request: Message, status: Int?, response: Message) {
        (self.method, self.request, self.status, self.response) = (method, request, status, response)
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts[0])
        query = parts.count > 1 ? String(parts[1]) : ""
    }

    /// Names and values of the query.
    public var parameters: [(name: String, value: String)] { Self.pairs(query) }

    static func pairs(_ text: String) -> [(name: String, value: String)] {
        text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { part in
                URIReference.decoded(String(part.map { $0 == "+" ? " " : $0 }))
            }
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
    }
}

/// What a contract says against a message.
public struct ContractFailure: Hashable, Sendable {
    /// The number of the operation; nil for none.
    public let operation: Int?
    /// The rule in the document.
    public let rule: ContractPlace
    /// Where in the exchange: `the request body`, `the query parameter limit`.
    public let part: String
    public let message: String

    /// `the response body $.id is "x", not integer`.
    public var text: String { part + message }
}

/// What came of comparing an exchange with a contract.
public struct ContractVerdict: Sendable {
    /// The number of the operation that it is an exchange of; nil for none.
    public internal(set) var operation: Int?
    public internal(set) var failures: [ContractFailure] = []
}
