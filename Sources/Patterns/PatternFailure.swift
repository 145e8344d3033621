/// Why a text is no regular expression, and where.
public struct PatternFailure: Error, Sendable {
    public let message: String
    /// The expected text.
    public let expected: String
    /// Where in the text, from 0, in characters.
    public let index: Int
    /// It would take more steps than it may.
    public var isTooLarge = false
}
