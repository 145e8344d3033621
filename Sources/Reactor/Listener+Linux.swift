#if os(Linux) && !SHUNT_KQUEUE
extension Listener {
    /// A listener for each of several loops, which take turns: the system spreads connections over those that share an
    /// address.
    ///
    /// The first one is bound alone, so that a port in use is noticed: SO_REUSEPORT would let two Shunts of one user
    /// share a port without an error.
    public static func several(_ address: SocketAddress, loops: Int) throws(SystemError) -> [Listener] {
        guard loops > 1 else { return [try Listener(address, sharing: false)] }
        let exact = try Listener(address, sharing: false).address
        var listeners: [Listener] = []
        for _ in 0..<loops { listeners.append(try Listener(exact, sharing: true)) }
        return listeners
    }
}
#endif
