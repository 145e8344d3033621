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

        public init(_ head: ContractHead, body: [UInt8], isWhole: Bool) {
            // What responds need not have read the request's body.
            let isUnread = body.isEmpty && head.hasContent
            self.init(fields: { head.values(named: $0) }, body: body, isWhole: isWhole && !isUnread)
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

    /// The same for another target.
    func at(_ target: String) -> ContractExchange {
        ContractExchange(method: method, target: target, request: request, status: status, response: response)
    }

    /// Path and query of a URL.
    public static func target(of url: String) -> String {
        guard let colon = url.firstRange(of: "://") else { return url.hasPrefix("/") ? url : "/" }
        let rest = url[colon.upperBound...]
        guard let slash = rest.firstIndex(where: { $0 == "/" || $0 == "?" }) else { return "/" }
        let target = rest[slash...].prefix { $0 != "#" }
        return target.hasPrefix("/") ? String(target) : "/" + target
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
    /// Bodies that could not be compared, since they are there in part only.
    public internal(set) var partial: [ContractFailure] = []
    /// Bodies of media types for which OpenAPI does not say how they are compared with their schemas.
    public internal(set) var uncompared: [ContractFailure] = []
}
