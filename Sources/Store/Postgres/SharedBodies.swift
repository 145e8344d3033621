import Redaction

/// Bodies that are stored once for all exchanges of a partition, found by a digest under the store's key.
///
/// Shorter ones are not worth a row of their own: they stand in blocks, each of which has equal ones once.
final class SharedBodies {
    static let minimum = 2048
    /// Digests that are remembered as stored.
    private static let limit = 1 << 16

    private let content: ContentDigest
    private var known: Set<[UInt8]> = []
    /// Where `known` holds: a partition, and the state of its bodies since some were removed last.
    private var scope: (part: Int64, epoch: Int64) = (-1, -1)
    /// Bodies of the present batch that are not known to be stored, by their digests.
    private(set) var fresh: [[UInt8]: UnsafeRawBufferPointer] = [:]

    init(key: [UInt8]) { content = ContentDigest(key: key, purpose: "bodies") }

    var part: Int64 { scope.part }

    /// Begins a batch whose exchanges come into a partition.
    func begin(part: Int64, epoch: Int64) {
        fresh.removeAll(keepingCapacity: true)
        guard scope != (part, epoch) || known.count > Self.limit else { return }
        known.removeAll(keepingCapacity: true)
        scope = (part, epoch)
    }

    /// The digest by which a body is to be found; nil if it is to be stored with its exchange.
    ///
    /// - Parameter body: stays valid until the batch is written.
    func share(_ body: UnsafeRawBufferPointer) -> [UInt8]? {
        guard body.count >= Self.minimum else { return nil }
        let digest = content.digest(body)
        if !known.contains(digest) { fresh[digest] = body }
        return digest
    }

    /// The batch is written.
    func written() {
        known.formUnion(fresh.keys)
        fresh.removeAll(keepingCapacity: true)
    }
}
