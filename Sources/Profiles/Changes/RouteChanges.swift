/// What a route changes in requests and responses on their way; nil in a ``Route`` that changes nothing.
public struct RouteChanges: Hashable, Sendable {
    public let request: RequestChanges?
    public let response: ResponseChanges?
    /// Those of messages, one after the other.
    public let messages: [MessageChange]
    public let injection: InjectionSettings?
    /// The native side of a hybrid app, which a script in its pages plays.
    public let bridge: BridgeContract?

    /// What was read from files beside the profile.
    var files: [String] { (injection?.files ?? []) + (bridge.map { [$0.file] } ?? []) }

    /// HTML is put into pages.
    public var injects: Bool { injection != nil || bridge != nil }

    /// nil where nothing is changed.
    init?(
        request: RequestChanges?, response: ResponseChanges?, messages: [MessageChange], injection: InjectionSettings?,
        bridge: BridgeContract?
    ) {
        if request == nil, response == nil, messages.isEmpty, injection == nil, bridge == nil { return nil }
        (self.request, self.response, self.messages, self.injection) = (request, response, messages, injection)
        self.bridge = bridge
    }
}

extension RouteChanges {
    /// What is changed in the fields of requests; nil for nothing.
    var ofHeadersAlone: RouteChanges? {
        RouteChanges(request: request?.ofHeadersAlone, response: nil, messages: [], injection: nil, bridge: nil)
    }
}

/// What a route changes in a request before an origin gets it.
public struct RequestChanges: Hashable, Sendable {
    public let headers: HeaderChanges
    public let query: QueryChanges
    public let path: PathChanges
    public let body: BodyChanges?

    /// The same where paths, queries and bodies stay as they are.
    fileprivate var ofHeadersAlone: RequestChanges? {
        RequestChanges(headers: headers, query: QueryChanges(), path: PathChanges(), body: nil)
    }

    /// nil where nothing is changed.
    init?(headers: HeaderChanges, query: QueryChanges, path: PathChanges, body: BodyChanges?) {
        if headers.isEmpty, query.isEmpty, path.isEmpty, body == nil { return nil }
        (self.headers, self.query, self.path, self.body) = (headers, query, path, body)
    }

    /// Whether requests arrive under another path or with another query.
    public var changesTarget: Bool { !path.isEmpty || !query.isEmpty }

    /// The path and query that an origin gets.
    ///
    /// - Parameters:
    ///   - path: as the client sent it.
    ///   - query: what follows the `?`; nil where there is none.
    public func target(path: [UInt8], query: [UInt8]?) -> [UInt8] {
        let path = self.path.forOrigin(path) ?? path
        guard let query = self.query.applied(to: query) else { return path }
        return path + [UInt8(ascii: "?")] + query
    }
}

/// What a route changes in the responses of its responder.
public struct ResponseChanges: Hashable, Sendable {
    public let headers: HeaderChanges
    public let status: StatusChange?
    public let body: BodyChanges?

    /// nil where nothing is changed.
    init?(headers: HeaderChanges, status: StatusChange?, body: BodyChanges?) {
        if headers.isEmpty, status == nil, body == nil { return nil }
        (self.headers, self.status, self.body) = (headers, status, body)
    }
}

/// The status that takes the place of a response's own.
public enum StatusChange: Hashable, Sendable {
    case all(Int)
    case each([Int: Int])

    /// What clients get for a status.
    ///
    /// Interim responses, a switch of protocols and parts of a representation keep theirs: it says how they are read.
    public func status(for status: Int) -> Int {
        guard status >= 200, status != 206 else { return status }
        return switch self {
        case .all(let other): other
        case .each(let others): others[status] ?? status
        }
    }
}

/// HTML that a route puts into pages.
public struct InjectionSettings: Hashable, Sendable {
    /// One piece, as a profile names it.
    public struct Piece: Hashable, Sendable {
        /// The absolute path of the file that it was read from; nil for HTML that stands in the profile.
        public let file: String?
        /// The file as the profile names it, or the HTML, in short.
        public let label: String
        public let html: [UInt8]
    }

    /// Goes to the end of the head, in this order.
    public let head: [Piece]
    /// Goes to the end of the body, in this order.
    public let body: [Piece]

    fileprivate var files: [String] { (head + body).compactMap(\.file) }
}
