/// Why no route was written into a profile.
public struct RouteRefusal: Error, Sendable {
    public let message: String
    public let advice: String?

    public init(message: String, advice: String?) { (self.message, self.advice) = (message, advice) }
}
