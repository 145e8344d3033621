internal import Synchronization

/// Maps addresses of origins to those that clients use, and back, for one route.
public final class AddressMap: Sendable {
    /// What the routes of the profile share.
    let book: AddressBook
    /// The book's storage, kept beside it so that reading retains nothing; safe to share, since the book never changes it
    /// after `init` and lives at least as long.
    private nonisolated(unsafe) let storage: UnsafeBufferPointer<UInt8>
    /// The origin that responds; to clients it has the name that the request used.
    let own: MappedAddress
    /// Where ``own``'s host stands in the book.
    let ownHost: Int
    let isOwnTLS: Bool
    /// The own origin has a path that clients do not see.
    let hasBasePath: Bool
    /// What the own origin's URLs begin with as it spells them itself; empty if that could be misread.
    let ownPrefix: Range<Int>
    /// What ``forOrigin(_:_:)`` made last.
    let lastForOrigin = Mutex<AddressTable?>(nil)

    /// - Parameter own: one of the book's origins; no URL is found to name another.
    public init(own name: OriginName, in book: AddressBook) {
        self.book = book
        storage = book.storage
        let (own, host) = book.origin(name)
        (self.own, ownHost) = (own, host)
        isOwnTLS = own.isTLS
        hasBasePath = !own.basePath.isEmpty
        let prefix = own.prefix
        ownPrefix = AddressReference(book.text, prefix)?.end == prefix.upperBound ? prefix : 0..<0
    }

    /// A map with a book of its own.
    public convenience init(own: OriginName, others: [(host: String, origin: OriginName)]) {
        self.init(own: own, in: AddressBook(origins: [own], hosts: others))
    }

    /// The bytes of all addresses, which they have ranges of, and some zeros.
    var text: Span<UInt8> {
        @_lifetime(borrow self)
        get { _overrideLifetime(Span(_unsafeElements: storage), borrowing: self) }
    }

    /// The own address is 0; the book's follow.
    func address(_ index: Int) -> MappedAddress { index == 0 ? own : book.addresses[index &- 1] }

    var indices: Range<Int> { 0..<book.addresses.count &+ 1 }

    /// The kind of addresses in a field's value.
    public enum Form: Sendable {
        /// Absolute URLs, and those without a scheme (`//host/path`).
        case url
        /// The same and paths from the root (`/path`), which lose or gain the own origin's base path.
        case reference
        /// A serialised origin (RFC 6454 6.2): scheme, host and port, and nothing behind them.
        case origin
    }

    /// The result for a URL.
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
    let isIPv6: Bool
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
        isIPv6 = origin.host.utf8.contains(0x3A)
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

    /// An address without a place in any text.
    init(of origin: OriginName) {
        (isTLS, port, isIPv6) = (origin.isTLS, origin.port, false)
        (prefix, host, basePath, clientHost) = (0..<0, 0..<0, 0..<0, 0..<0)
    }

    /// The host as URLs spell it.
    var spelledHost: Range<Int> { isIPv6 ? host.lowerBound - 1..<host.upperBound + 1 : host }

    /// Whether the origin has its scheme's own port.
    @inline(__always)
    var hasDefaultPort: Bool { port == (isTLS ? 443 : 80) }
}
