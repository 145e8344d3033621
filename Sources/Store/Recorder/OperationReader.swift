import Exchanges
import GraphQL
import Platform

/// Finds which operations recorded requests of GraphQL ask for, and how many errors their responses have.
///
/// It reads what the store keeps, so that a request is not delayed by it.
struct OperationReader {
    /// Labels of documents that servers have stored, by host and name, as requests with their text have shown them.
    private var stored: [String: String] = [:]
    private static let maxStored = 10_000
    /// Operations that are told apart in one exchange.
    private static let maxOperations = 100

    /// Whether a request may be one of GraphQL, by its head.
    static func mayAsk(_ state: borrowing RunningExchange) -> Bool {
        if let type = state.request.head?.mediaType { return types.contains(type) || type.ends(with: json) }
        return state.hasQuery
    }

    private static let json = Array("+json".utf8)
    private static let types = Set(
        [
            "application/json", "application/graphql", "application/x-www-form-urlencoded", "multipart/form-data",
        ].map { Array($0.utf8) })

    /// Looks for operations in a request's body, as it came or decoded.
    ///
    /// - Returns: whether there are any.
    @discardableResult
    mutating func readRequest(_ body: ArraySlice<UInt8>, _ state: inout RunningExchange) -> Bool {
        let type = String(decoding: state.request.head?.mediaType ?? [], as: UTF8.self)
        let calls = GraphQLCall.all(
            body: body, type: type, query: state.urlQuery, isWhole: !state.request.flags.contains(.cut))
        state.operations = calls.prefix(Self.maxOperations).map { label($0, state) }
        return !state.operations.isEmpty
    }

    /// The same in what was collected of a body that came in pieces or with a coding.
    mutating func readCollected(_ state: inout RunningExchange) {
        guard let body = state.request.collected.take(), state.operations.isEmpty else { return }
        readRequest(body[...], &state)
    }

    /// Counts the errors in the response's body, which is there as a whole.
    func readResponse(_ state: inout RunningExchange) {
        guard let body = state.response.collected.take(), !state.operations.isEmpty,
            state.response.flags.isDisjoint(with: [.cut, .undecodable, .dropped]),
            let type = state.response.head?.mediaType,
            type == Array("application/json".utf8) || type.ends(with: Self.json)
        else { return }
        state.count(errors: GraphQLErrors.count(in: body[...]))
    }

    /// Looks for an operation in a message, or for errors.
    mutating func read(message: ArraySlice<UInt8>, _ facts: MessageFacts, _ state: inout RunningExchange) {
        guard facts.kind == .text || facts.kind == .event, message.first == UInt8(ascii: "{"),
            message.count <= GraphQLCall.limit
        else { return }
        if facts.sender == .origin {
            if !state.operations.isEmpty { state.count(errors: GraphQLErrors.count(inMessage: message)) }
        } else if let call = GraphQLCall(message: message) {
            let label = label(call, state)
            if state.operations.count < Self.maxOperations, !state.operations.contains(label) {
                state.operations.append(label)
            }
        }
    }

    private mutating func label(_ call: GraphQLCall, _ state: borrowing RunningExchange) -> String {
        let label = call.operation.label
        guard let name = call.stored else { return label }
        let key = "\(state.host) \(name)"
        if call.document == nil { return stored[key] ?? label }
        if stored.count < Self.maxStored || stored[key] != nil { stored[key] = label }
        return label
    }
}

extension RunningExchange {
    /// The query of its URL.
    fileprivate var urlQuery: ArraySlice<UInt8> {
        guard hasQuery, let url = facts.text(.url), let query = URLParts(facts.bytes, url).query else { return [] }
        return facts.bytes[query]
    }

    fileprivate var hasQuery: Bool {
        guard let url = facts.text(.url), !url.isEmpty else { return false }
        return facts.bytes.withUnsafeBytes { bytes in
            bytes.baseAddress.map { memchr($0 + url.lowerBound, 0x3F, url.count) != nil } ?? false
        }
    }

    fileprivate var host: String {
        guard let url = facts.text(.url), let host = URLParts.host(facts.bytes, url) else { return "" }
        return String(decoding: facts.bytes[host], as: UTF8.self)
    }

    fileprivate mutating func count(errors: Int?) {
        guard let errors else { return }
        self.errors = (self.errors ?? 0) + errors
    }
}

extension Collection<UInt8> {
    fileprivate func ends(with end: [UInt8]) -> Bool { suffix(end.count).elementsEqual(end) }
}
