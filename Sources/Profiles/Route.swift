/// A fixed answer.
public struct Mock: Sendable {
    public let status: Int
    public let headers: [(name: String, value: String)]
    public let body: [UInt8]

    public init(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// What answers.
public enum Responder: Sendable {
    /// With `preserveHost` the origin sees the Host that the client sent instead of its own.
    case origin(OriginAddress, preserveHost: Bool)
    case mock(Mock)
}

/// A pattern of requests and what answers them.
public struct Route: Sendable {
    /// Host and path pattern, with the methods if they count: `GET api.shop.test/v1/cart/*`.
    public let label: String
    public let responder: Responder
    /// The profile that defines it, which may be an extended one.
    public let profile: String
    public let kind: ProfileKind
    public let place: Place
    let pattern: RoutePattern
}

/// Which requests a route is for.
struct RoutePattern: Sendable {
    let host: HostPattern
    let path: PathPattern
    /// Nil for all methods.
    let methods: [String]?
    /// Names in small letters; a nil value only asks for presence.
    let headers: [(name: String, value: String?)]

    var label: String {
        let place = host == .any && path == .all ? "*" : host.text + path.text
        return (methods.map { $0.joined(separator: ",") + " " } ?? "") + place
    }

    /// The reasons by which `self` comes before `other`, both matching one request on the same host level.
    func precedes(_ other: RoutePattern) -> (isFirst: Bool, reason: String)? {
        if (host.port == nil) != (other.host.port == nil) { return (host.port != nil, "it names the port") }
        if let first = path.isMoreSpecific(than: other.path) { return (first, "its path is more specific") }
        if (methods == nil) != (other.methods == nil) { return (methods != nil, "it names the method") }
        if headers.count != other.headers.count {
            return (headers.count > other.headers.count, "it asks for more header fields")
        }
        return nil
    }

    /// Whether some request could be meant by both with nothing to decide between them.
    func ties(with other: RoutePattern) -> Bool {
        guard host == other.host, path.segments == other.path.segments, path.isOpen == other.path.isOpen,
            path.endsWithSlash == other.path.endsWithSlash, precedes(other) == nil
        else { return false }
        if let mine = methods, let theirs = other.methods, Set(mine).isDisjoint(with: theirs) { return false }
        // The same field with two values cannot be there at once.
        for (name, value) in headers {
            if let value, other.headers.contains(where: { $0.name == name && $0.value != nil && $0.value != value }) {
                return false
            }
        }
        return true
    }
}
