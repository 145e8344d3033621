/// Which addresses stand for each other in the exchanges of one route: an origin's, and the one clients use for it.
public final class AddressMap: Sendable {
    /// The origin that answers; to clients it has the name that the request used.
    public let own: OriginName
    /// The hosts that routes of the profile name, each with the origin that answers for its `/`.
    public let others: [(host: String, origin: OriginName)]

    public init(own: OriginName, others: [(host: String, origin: OriginName)]) {
        self.own = own
        self.others = others
    }
}
