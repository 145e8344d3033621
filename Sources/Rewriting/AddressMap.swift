/// Which addresses stand for each other in the exchanges of one route: an origin's, and the one clients use for it.
public final class AddressMap: Sendable {
    /// The origin that answers; to clients it has the name that the request used.
    public let own: OriginName
    /// The hosts that routes of the profile name, each with the origin that answers for its `/`.
    public let others: [(host: String, origin: OriginName)]

    /// Of the map's own, so that reading it retains nothing; written in `init` alone, and so safe to share.
    private nonisolated(unsafe) let storage: UnsafeMutableBufferPointer<UInt8>
    /// The own one first; then the others, those with the longest base path in front.
    let addresses: ContiguousArray<MappedAddress>
    let isOwnTLS: Bool
    /// The own origin has a path that clients do not see.
    let hasBasePath: Bool
    /// What the own origin's URLs begin with as it spells them itself; empty if that could be misread.
    let ownPrefix: Range<Int>
    /// What the host of each begins with, so that few are looked at closely.
    let fronts: ContiguousArray<HostFront>

    public init(own: OriginName, others: [(host: String, origin: OriginName)]) {
        self.own = own
        self.others = others
        var text = ContiguousArray<UInt8>()
        var addresses: ContiguousArray = [MappedAddress(own, clientHost: "", to: &text)]
        // Of two that share an origin, the longer path says more exactly whose a URL is.
        let sorted = others.enumerated().sorted {
            let lengths = ($0.element.origin.basePath.utf8.count, $1.element.origin.basePath.utf8.count)
            return lengths.0 == lengths.1 ? $0.offset < $1.offset : lengths.0 > lengths.1
        }
        for (_, other) in sorted where !other.host.isEmpty {
            addresses.append(MappedAddress(other.origin, clientHost: other.host, to: &text))
        }
        let prefix = addresses[0].prefix
        isOwnTLS = own.isTLS
        hasBasePath = !addresses[0].basePath.isEmpty
        ownPrefix = AddressReference(text.span, prefix)?.end == prefix.upperBound ? prefix : 0..<0
        // So that all words of eight bytes lie within.
        text += repeatElement(0, count: 8)
        fronts = ContiguousArray(addresses.map { HostFront(text.span, $0.host) })
        storage = .allocate(capacity: text.count)
        _ = storage.initialize(from: text)
        self.addresses = addresses
    }

    deinit { storage.deallocate() }

    /// The bytes of all addresses, which ``addresses`` has ranges of, and some zeros.
    var text: Span<UInt8> {
        @_lifetime(borrow self)
        get { _overrideLifetime(Span(_unsafeElements: UnsafeBufferPointer(storage)), borrowing: self) }
    }

    /// What is looked for in a field's value.
    public enum Form: Sendable {
        /// Absolute URLs, and those without a scheme (`//host/path`).
        case url
        /// The same and paths from the root (`/path`), which lose or gain the own origin's base path.
        case reference
        /// A serialised origin (RFC 6454 6.2): scheme, host and port, and nothing behind them.
        case origin
    }

    /// What became of a URL.
    package enum Outcome: Sendable {
        case appended
        /// It names none of the addresses; nothing was appended.
        case foreign
        /// It does not fit; nothing was appended.
        case noRoom
    }
}

/// An origin, and the host that clients know it by, as ranges of the map's bytes.
struct MappedAddress: Sendable {
    let isTLS: Bool
    let port: UInt16
    /// `https://host:port`; the port only where it is not the scheme's own.
    let prefix: Range<Int>
    /// Without an IPv6 literal's brackets.
    let host: Range<Int>
    /// Follows at once on ``prefix``.
    let basePath: Range<Int>
    /// With an IPv6 literal's brackets; empty for the own origin, whose clients' host the request names.
    let clientHost: Range<Int>

    init(_ origin: OriginName, clientHost name: String, to text: inout ContiguousArray<UInt8>) {
        isTLS = origin.isTLS
        port = origin.port
        let isIPv6 = origin.host.utf8.contains(0x3A)
        let start = text.count
        text += (origin.isTLS ? "https://" : "http://").utf8
        if isIPv6 { text.append(0x5B) }
        let hostStart = text.count
        text += origin.host.utf8
        host = hostStart..<text.count
        if isIPv6 { text.append(0x5D) }
        if origin.port != (origin.isTLS ? 443 : 80) { text += ":\(origin.port)".utf8 }
        prefix = start..<text.count
        text += origin.basePath.utf8
        basePath = prefix.upperBound..<text.count
        text += (name.utf8.contains(0x3A) && !name.hasPrefix("[") ? "[\(name)]" : name).utf8
        clientHost = basePath.upperBound..<text.count
    }

    /// Whether the origin has its scheme's own port.
    @inline(__always)
    var hasDefaultPort: Bool { port == (isTLS ? 443 : 80) }
}

/// The first bytes of a host, eight at most and in small letters.
struct HostFront: Sendable {
    let word: UInt64
    let mask: UInt64

    /// What no text begins with where the host is no name, nor numbers with dots: such hosts stand in brackets.
    init(_ text: Span<UInt8>, _ host: Range<Int>) {
        let isName = !host.isEmpty && TextWords.first(text, host, TextWords.notOfHosts) == host.upperBound
        mask = isName ? TextWords.mask(host.count) : 0
        word = isName ? TextWords.small(text.word(at: host.lowerBound)) & mask : 1
    }
}
