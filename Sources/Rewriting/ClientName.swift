/// How a client named Shunt in its request: the name that replaces origins' addresses in responses.
///
/// It goes with the authority's bytes, `api.shop.test:4884`, which are passed beside it.
public struct ClientName: Sendable {
    public var isSecure: Bool
    /// Bytes of the host within the authority, with an IPv6 literal's brackets; what follows is `:port`, or nothing.
    public var hostLength: Int
    /// Bytes of an environment's label in front of the host, with its `--`; routes and origins do not know of it.
    public var labelLength: Int

    public init(isSecure: Bool, hostLength: Int, labelLength: Int = 0) {
        self.isSecure = isSecure
        self.hostLength = hostLength
        self.labelLength = labelLength
    }
}
