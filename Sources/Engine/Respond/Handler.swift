public import Reactor

/// Responds to requests within the program instead of sending them on, as the admin interface does.
public protocol Handler: Sendable {
    /// Called on a worker; may suspend. The body is complete, and no longer than 1 MiB.
    func response(_ request: HandledRequest) async -> HandledResponse
}

/// A request as a ``Handler`` sees it.
public struct HandledRequest: Sendable {
    public let method: String
    /// Path and query, as sent.
    public let target: String
    /// Host and port as the client named them.
    public let authority: String
    /// In the order they were sent, names as sent.
    public let fields: [(name: String, value: String)]
    public let body: [UInt8]
    /// Nil if the system does not know it any more.
    public let client: SocketAddress?
    /// Whether it came over TLS.
    public let isSecure: Bool

    public init(
        method: String, target: String, authority: String, fields: [(name: String, value: String)], body: [UInt8],
        client: SocketAddress?, isSecure: Bool
    ) {
        self.method = method
        self.target = target
        self.authority = authority
        self.fields = fields
        self.body = body
        self.client = client
        self.isSecure = isSecure
    }

    public var clientIsLoopback: Bool { client?.isLoopback ?? false }

    /// The authority without its port; an IPv6 address with its brackets.
    public var host: String { String(authority[..<hostEnd]) }

    /// The port that the client named, or the one that its scheme means; nil for an invalid port.
    public var port: UInt16? {
        hostEnd == authority.endIndex ? (isSecure ? 443 : 80) : UInt16(authority[authority.index(after: hostEnd)...])
    }

    private var hostEnd: String.Index {
        let behindAddress = authority.lastIndex(of: "]") ?? authority.startIndex
        return authority[behindAddress...].firstIndex(of: ":") ?? authority.endIndex
    }

    /// The first field of that name, compared without case.
    public func field(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// The response of a ``Handler``.
public struct HandledResponse: Sendable {
    public let status: Int
    public let fields: [(name: String, value: String)]
    /// The whole body, unless ``stream`` has it.
    public let body: [UInt8]
    /// A body that is produced while it is sent.
    public let stream: HandledStream?
    /// Where the connection's bytes go after the response, which is 101.
    public let tunnel: HandledTunnel?

    /// - Parameter fields: without Content-Length and Connection, which are added.
    public init(status: Int, fields: [(name: String, value: String)], body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = body
        (stream, tunnel) = (nil, nil)
    }

    /// Switches to another protocol.
    public init(upgrade: String, to tunnel: HandledTunnel) {
        status = 101
        fields = [("Connection", "Upgrade"), ("Upgrade", upgrade)]
        self.tunnel = tunnel
        (stream, body) = (nil, [])
    }

    /// - Parameter fields: without Transfer-Encoding and Connection, which are added.
    public init(status: Int, fields: [(name: String, value: String)], stream: HandledStream) {
        self.status = status
        self.fields = fields
        self.stream = stream
        tunnel = nil
        body = []
    }

    /// Lines with their line ends.
    var fieldLines: [UInt8] { Array(fields.map { "\($0.name): \($0.value)\r\n" }.joined().utf8) }
}
