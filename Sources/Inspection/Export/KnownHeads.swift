import JSON
import Redaction

/// A recorded head with what an export says about it, each found once.
final class KnownHead {
    /// A request that was written with this head and without a body.
    struct Request {
        let method: String
        let url: String
        let version: String
        let hasOrigin: Bool
        /// As JSON.
        let text: [UInt8]
    }

    let lines: HeadLines
    /// A secret is replaced somewhere.
    private(set) lazy var hasReplacement = Replacement.isMentioned(in: lines.bytes)
    private(set) lazy var hasCredential = SecretsSeen.hasCredential(lines)
    /// Its fields as a JSON array.
    private(set) lazy var fields = {
        var json = JSONWriter()
        json.fields(of: lines)
        return json.bytes
    }()
    private(set) lazy var contentType = lines.value(of: "content-type")
    private(set) lazy var location = lines.value(of: "location")
    private(set) lazy var statusLine = lines.statusLine
    private(set) lazy var hasCookies = !lines.values(of: "set-cookie").isEmpty
    var request: Request?

    init(_ bytes: [UInt8]) { lines = HeadLines(bytes) }

    /// The head's length on the wire, which is unknown where secrets in it were replaced.
    var size: Int { hasReplacement ? -1 : lines.bytes.count }
}

/// The heads that an export met last: most exchanges of an app have one that another one had before.
///
/// A recording of equal exchanges takes a third less time for it.
final class KnownHeads {
    private static let count = 64
    /// Bytes of a head that is kept.
    private static let longest = 4 << 10
    private var heads = [KnownHead?](repeating: nil, count: count)

    func head(_ bytes: [UInt8]) -> KnownHead {
        guard bytes.count <= Self.longest else { return KnownHead(bytes) }
        let slot = Self.hash(bytes) % Self.count
        if let known = heads[slot], known.lines.bytes == bytes { return known }
        let head = KnownHead(bytes)
        heads[slot] = head
        return head
    }

    /// Of words of eight bytes, since it has to take less time than what it saves.
    private static func hash(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { bytes in
            var hash = UInt64(bytes.count)
            var at = 0
            while at + 8 <= bytes.count {
                hash = (hash ^ bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)) &* 0x9E37_79B9_7F4A_7C15
                hash ^= hash >> 29
                at += 8
            }
            return Int(truncatingIfNeeded: hash >> 32) & .max
        }
    }
}
