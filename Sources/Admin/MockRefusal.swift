/// Why no mock was made.
public struct MockRefusal: Error, Sendable {
    public let message: String
    public let advice: String?

    public init(message: String, advice: String?) {
        self.message = message
        self.advice = advice
    }
}
