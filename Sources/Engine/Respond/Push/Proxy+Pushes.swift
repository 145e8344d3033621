public import Push

extension Proxy {
    /// What stand-ins for APNs have accepted.
    public var receivedPushes: ReceivedPushes { mocks.pushes }
}
