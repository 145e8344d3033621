/// How a route's requests and its origin's responses are passed on.
public struct RelaySettings: Equatable, Sendable {
    /// Responses that break RFC 9112 are refused, instead of being sent on in their proper form.
    public var isStrict = false
    /// `X-Forwarded-For`, `-Proto` and `-Host` are added; nil leaves it to the kind of the profile.
    public var forwards: Bool?
    /// `Via` is added to requests (RFC 9110 7.6.3).
    public var addsVia = true
    /// Calls of gRPC-Web become calls of gRPC, and their responses those of gRPC-Web.
    public var translatesWebCalls = false

    public init() {}

    /// Whether `X-Forwarded-*` are added, in a profile of that kind.
    ///
    /// - Parameter isNeeded: the origin gets the client's Host, and would name itself with http.
    public func forwards(in kind: ProfileKind, isNeeded: Bool) -> Bool { forwards ?? (kind == .local || isNeeded) }

    /// For hosts without a route: nothing is added that the client's own proxy would not.
    static var ofForwarded: RelaySettings {
        var settings = RelaySettings()
        settings.forwards = false
        return settings
    }
}
