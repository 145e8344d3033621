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

    /// What may be a page.
    static let pages = Beside(
        responders: ["origin"] + LocalResponders.kinds.filter { $0 != Redirect.self }.map { $0.key },
        text: "beside an origin, a mock or files")

    /// What is switched on and off as a whole.
    static let switchable = Beside(
        responders: LocalResponders.kinds.map { $0.key },
        text: "beside what is switched on and off: \(LocalResponders.switchable)", isAlone: true)
}
