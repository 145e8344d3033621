/// A poller's report on one descriptor.
struct PollerEvent {
    let token: UInt64
    let isReadable: Bool
    let isWritable: Bool
    /// The peer closed its side, or the connection broke.
    let isHungUp: Bool
    /// The connection was reset, or both sides have closed it.
    let isBroken: Bool
    /// Nothing can be written any more, which is told apart from ``isBroken`` by kqueue(2) alone: this side has ended
    /// what it writes, or the connection is no more.
    let hasEndedWriting: Bool
}
