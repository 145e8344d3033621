/// How a client uses Shunt as its proxy, up to the host that it enters in one connection.
struct ProxyUse {
    /// It has sent its request by SOCKS, and expects the response so.
    var speaksSOCKS = false
    /// Its TLS connection goes on to an origin unread.
    var passesThrough = false
    /// It has sent the proxy's credentials by SOCKS.
    var hasProvenItself = false
    private var next: ClientEntry?

    /// What follows the present request is for another host.
    mutating func willEnter(_ entry: ClientEntry) { next = entry }

    /// The host that what follows is for, where that is another one, once.
    mutating func enter() -> ClientEntry? {
        guard let entry = next else { return nil }
        (next, speaksSOCKS) = (nil, false)
        return entry
    }
}
