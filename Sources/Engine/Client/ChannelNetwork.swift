/// The network that a client seems to have, as far as it changes what is done with its connection.
protocol ChannelNetwork: AnyObject {
    /// The connection's bytes are delayed, so that the socket is that of a pair.
    var isShaped: Bool { get }
    /// Handshakes are refused.
    var refusesTLS: Bool { get }
    /// Requests on it reach no origin.
    var cutsOrigins: Bool { get }
}
