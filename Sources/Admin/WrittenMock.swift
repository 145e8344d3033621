/// A mock that was made of a recorded exchange.
public struct WrittenMock: Sendable {
    public let profile: String
    /// The profile's file.
    public let file: String
    /// The files of its body.
    public let bodies: [String]
    /// Secrets in it that were replaced.
    public let secrets: Int

    public init(profile: String, file: String, bodies: [String], secrets: Int) {
        self.profile = profile
        self.file = file
        self.bodies = bodies
        self.secrets = secrets
    }
}

/// Why no mock was made.
public struct MockRefusal: Error, Sendable {
    public let message: String
    public let advice: String?

    public init(message: String, advice: String?) {
        self.message = message
        self.advice = advice
    }
}
