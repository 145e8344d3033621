/// What is known of a socket's readiness, shared by the reactor that learns it and the TLS layer that uses it up.
///
/// Confined to the loop that owns the socket. With an edge-triggered poller a flag stays true until a system call says
/// otherwise, so the caller of recv(2) or send(2) clears the flag on EAGAIN, and after a read that came back short: the
/// socket is then dry, and asking again would be a wasted system call.
public struct Readiness {
    public let descriptor: CInt
    public var isReadable: Bool
    public var isWritable: Bool
    /// The peer has closed its side or the connection broke: a short read then does not mean dry, for the end is
    /// still to be read and no further edge will tell of it.
    public var isHungUp: Bool
    /// The connection is no more, in neither direction: it was reset.
    public var isBroken = false

    public init(descriptor: CInt, isReadable: Bool = true, isWritable: Bool = true) {
        self.descriptor = descriptor
        self.isReadable = isReadable
        self.isWritable = isWritable
        self.isHungUp = false
    }
}
