/// How many webhooks of a worker are on their way, or wait, and whether any are sent.
struct Webhooks {
    /// At once.
    static let limit = 256
    private var count = 0
    /// Mocks call others; a trial changes nothing.
    var areSent = true

    mutating func begin() { count += 1 }

    mutating func end() { count -= 1 }

    /// More than ``limit`` have begun and are not over.
    var areTooMany: Bool { count > Self.limit }
}
