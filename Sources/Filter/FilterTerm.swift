import Patterns

/// One question to an exchange.
enum FilterTerm: Sendable {
    case all
    /// A pattern in one of the texts that the log has in columns.
    case text(FilterText, Pattern)
    case status(ClosedRange<Int>)
    /// One of these numbers; at least one range.
    case identifiers([ClosedRange<Int64>])
    /// Took at least so many microseconds.
    case slow(Int64)
    /// Started then or later.
    case since(Int64)
    case error, withResponse, withoutResponse, asset, mock, bridge, webSocket, contract
    /// Named among what was changed, as the log has it.
    case changed(String)
    case field([FilterSide], Pattern)
    case body([FilterSide], Pattern)
    /// Why a push notification was refused.
    case reason(Pattern)
    /// Service and method of a gRPC call.
    case call(Pattern)
    case callStatus(ClosedRange<Int>)
    /// An operation of GraphQL, by kind and name.
    case operation(Pattern)
    case graphQLError

    /// How dear a response is, so that what is cheap is asked first.
    var effort: Int {
        switch self {
        case .field: 1
        case .body, .reason: 2
        default: 0
        }
    }
}

/// The texts of an exchange.
enum FilterText: Sendable {
    case method, url, host, client, destination, requestType, responseType, anyType, profile, route, trust, node, app,
        session
}

/// A filter as it was read.
indirect enum FilterNode: Sendable {
    case term(FilterTerm)
    case not(FilterNode)
    case and([FilterNode])
    case or([FilterNode])

    /// How dear a response is at most.
    var effort: Int {
        switch self {
        case .term(let term): term.effort
        case .not(let node): node.effort
        case .and(let nodes), .or(let nodes): nodes.map(\.effort).max() ?? 0
        }
    }

    func matches(_ subject: some FilterSubject) -> Bool {
        switch self {
        case .term(let term): term.matches(subject)
        case .not(let node): !node.matches(subject)
        case .and(let nodes): nodes.allSatisfy { $0.matches(subject) }
        case .or(let nodes): nodes.contains { $0.matches(subject) }
        }
    }
}
