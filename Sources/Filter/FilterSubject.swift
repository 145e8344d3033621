/// An exchange as filters see it.
///
/// Facts that are columns are read first, heads and bodies last and only for filters that need them.
public protocol FilterSubject {
    var id: Int64 { get }
    /// Microseconds since 1970, UTC.
    var startedAt: Int64 { get }
    /// Microseconds that it took; nil while it runs.
    var duration: Int64? { get }
    /// Without port, and without brackets around IPv6.
    var clientAddress: String { get }
    var clientPort: Int { get }
    /// The program of this machine that the client is.
    var app: String? { get }
    /// The identifier of its session.
    var session: String? { get }
    /// What it asks for: kind and name of GraphQL's operations, or service and method of gRPC.
    var operation: String? { get }
    /// The errors in a response of GraphQL; nil where it is none.
    var graphQLErrors: Int? { get }
    /// The status of a response of gRPC; nil where it is none.
    var grpcStatus: Int? { get }
    var method: String { get }
    /// Absolute.
    var url: String { get }
    /// In small letters, without port.
    var host: String { get }
    /// The response's status; nil when none was sent.
    var status: Int? { get }
    /// Media types in small letters, without parameters.
    var requestType: String? { get }
    var responseType: String? { get }
    var profile: String? { get }
    var route: String? { get }
    /// `origin`, `mock` or `shunt`.
    var responder: String? { get }
    /// The origin's URL.
    var origin: String? { get }
    /// The address that was connected to.
    var originAddress: String? { get }
    /// The trust policy's name.
    var trust: String? { get }
    /// What was changed on its way, as the log names it.
    var changes: [String] { get }
    /// It is not as the contract of its route says.
    var differsFromContract: Bool { get }
    /// The name of the Shunt that recorded it; nil in a store that has one only.
    var node: String? { get }
    /// Nil where all went well.
    var error: String? { get }

    /// Shows the heads of one side, as the client and as the origin saw them, each whole and with its start line.
    ///
    /// - Parameter visit: returns false to stop.
    func heads(of side: FilterSide, visit: (UnsafeRawBufferPointer) -> Bool)

    /// Shows the pieces of a body in their order, decoded from its body coding where that was possible.
    ///
    /// - Parameter visit: returns false to stop.
    func body(of side: FilterSide, atOrigin: Bool, visit: (UnsafeRawBufferPointer) -> Bool)

    /// Shows the messages that one side sent after the heads: of a WebSocket, or of an event stream.
    ///
    /// - Parameter visit: returns false to stop.
    func messages(of side: FilterSide, visit: (UnsafeRawBufferPointer) -> Bool)
}

extension FilterSubject {
    public var node: String? { nil }
    public var app: String? { nil }
    public var session: String? { nil }
    public var operation: String? { nil }
    public var graphQLErrors: Int? { nil }
    public var grpcStatus: Int? { nil }
    public var differsFromContract: Bool { false }
}

/// One of the two directions of an exchange.
public enum FilterSide: Hashable, Sendable {
    case request
    case response
}
