/// What is wrong with a call or its response by the types of the API.
public struct GraphQLFinding: Hashable, Sendable {
    /// It is allowed still, but deprecated.
    public let isWarning: Bool
    /// The rule's place in the schema; nil where it is a rule of the language.
    public let rule: GraphQLPlace?
    /// In the document of the call; nil for what is elsewhere.
    public let place: GraphQLPlace?
    /// Where in the exchange: `the query`, `the variable id`, `the response`.
    public let part: String
    public let message: String

    /// `the query, 3:5: Cart has no field total`.
    public var text: String { "\(part)\(place.map { ", \($0)" } ?? ""): \(message)" }
}
