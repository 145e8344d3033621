/// The responders beside which a key of a route may be.
struct Beside: Sendable {
    /// Keys of a route, such as `origin`.
    let responders: [String]
    /// The same in words.
    let text: String
    var hint: String?
    /// An origin beside these is too much.
    var isAlone = false

    /// For messages.
    var expected: String { "it \(text)" }

    /// - Parameter more: responders that stand for an origin.
    static func origin(_ hint: String? = nil, or more: [String] = []) -> Beside {
        Beside(responders: ["origin"] + more, text: "beside an origin", hint: hint)
    }

    /// A key of one responder.
    static func only(_ key: String) -> Beside { Beside(responders: [key], text: "beside \"\(key)\"") }
}
