/// A poller's report on one descriptor.
struct PollerEvent {
    let token: UInt64
    let isReadable: Bool
    let isWritable: Bool
    /// The peer closed its side, or the connection broke.
    let isHungUp: Bool
    /// The connection was reset.
    let isBroken: Bool
}
