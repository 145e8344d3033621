import Bytes

/// Counts the addresses of origins in a page that is not rewritten.
public final class AddressCount {
    /// Bytes of a page, decoded, that are looked at.
    private static let limit = 1 << 20

    private let rewriter: BodyRewriter
    private var room = [UInt8](repeating: 0, count: 16 << 10)
    private var seen = 0

    /// How many there were so far.
    public var count: Int { rewriter.replacements }

    /// Whether a response of a type is a page.
    public static func isPage(_ contentType: Span<UInt8>) -> Bool {
        BodyType.isPage(contentType) && BodyType.isRewritable(contentType)
    }

    /// nil for content codings that cannot be undone.
    public init?(contentEncoding: Span<UInt8>, map: AddressMap, authority: [UInt8], client: ClientName) {
        let table = AddressTable(map: map, authority: authority, client: client)
        guard let rewriter = BodyRewriter(table, contentEncoding, encodes: false) else { return nil }
        self.rewriter = rewriter
    }

    /// Looks at a part of the page.
    public func add(_ bytes: UnsafeRawBufferPointer) {
        var taken = 0
        while taken < bytes.count, seen < Self.limit {
            let progress = try? room.withUnsafeMutableBytes { room in
                try rewriter.step(
                    UnsafeRawBufferPointer(rebasing: bytes[taken...]), isLast: false, flush: true, into: room)
            }
            guard let progress, !progress.isFinished, progress.taken > 0 || progress.given > 0 else {
                seen = Self.limit
                return
            }
            taken += progress.taken
            seen += progress.given
        }
    }
}
