#if canImport(Darwin) || SHUNT_KQUEUE
extension Listener {
    /// One listener for several loops, each of which attaches to it: of those that shared an address, one would get all
    /// connections.
    public static func several(_ address: SocketAddress, loops: Int) throws(SystemError) -> [Listener] {
        [Listener](repeating: try Listener(address, sharing: false), count: loops)
    }
}
#endif
