/// Why PostgreSQL did not do what it was asked for.
public struct PostgresFailure: Error, Sendable, CustomStringConvertible {
    public enum Kind: Sendable, Equatable {
        /// The address cannot be used.
        case address
        /// libpq is not installed.
        case library
        /// The server cannot be reached, or its certificate is not accepted.
        case unreachable
        /// The server does not let this user in, or has no TLS where it is asked for.
        case refused
        /// The connection was lost; whether the last statement took effect is not known.
        case lost
        /// The time limit passed; the connection is of no use any more.
        case timedOut
        /// The server refused a statement, with an SQLSTATE of five characters.
        case statement(state: String)
    }

    public let kind: Kind
    /// What happened, without a full stop, in one line.
    public let message: String

    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        // libpq's own messages have a line per attempt or per hint; this hint says nothing.
        let lines = message.split { $0.isNewline || $0 == "\t" }.filter {
            !$0.hasPrefix("This probably means the server terminated") && !$0.hasPrefix("before or while processing")
        }
        self.message = lines.joined(separator: "; ")
    }

    public var description: String { message }

    /// The SQLSTATE of a refused statement.
    public var state: String? {
        if case .statement(let state) = kind { state } else { nil }
    }

    /// Whether the same may succeed later, without a change of data or settings.
    public var mayPass: Bool {
        switch kind {
        case .unreachable, .lost, .timedOut: true
        case .address, .library, .refused: false
        case .statement(let state):
            // Connection exceptions, rollbacks of transactions, resources, operators, system errors, and the states of
            // a server that starts, is a standby or became read-only.
            ["08", "40", "53", "57", "58"].contains(state.prefix(2)) || ["55P03", "25006"].contains(state)
        }
    }
}
