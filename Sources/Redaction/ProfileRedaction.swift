/// What one profile says of secrets, as it goes with each exchange.
///
/// The store reads the rules once for each of these: give all exchanges of a profile the same one.
public final class ProfileRedaction: Sendable {
    public let rules: RedactionRules

    public init(_ rules: RedactionRules) { self.rules = rules }
}
