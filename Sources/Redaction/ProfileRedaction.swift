/// One profile's rules for secrets, handed over with each exchange.
///
/// The store compiles the rules once for each object: all exchanges of a profile should share one.
public final class ProfileRedaction: Sendable {
    public let rules: RedactionRules

    public init(_ rules: RedactionRules) { self.rules = rules }
}
