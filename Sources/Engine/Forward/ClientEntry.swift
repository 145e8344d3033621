/// The host for which a client's connection was intercepted.
struct ClientEntry: Equatable {
    let target: ForwardTarget
    /// A route of the profile names it; else all requests for it go on to the host itself.
    let isNamed: Bool
}
