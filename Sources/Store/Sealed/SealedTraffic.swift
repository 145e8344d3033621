import Age
import Platform

/// The segments of a sealed store, each of which becomes a database in memory while it is read; confined to its owner.
final class SealedTraffic {
    struct Segment {
        let first: Int64
        let head: SegmentFrame.Head
    }

    let folder: String
    private let identities: [any AgeIdentity]
    private let facts: SegmentFacts
    private(set) var segments: [Segment] = []
    /// The one that the reader's database has, with the facts of its files.
    private var loaded: (first: Int64, facts: (Int64, Int64))?
    /// Segments that were opened so far.
    private(set) var loads = 0

    init(_ folder: String, _ opened: SealedStores.Opened) throws(StoreFailure) {
        (self.folder, identities, facts) = (folder, opened.identities, opened.facts)
        try refresh()
    }

    /// Reads which segments there are.
    func refresh() throws(StoreFailure) {
        var found: [Segment] = []
        for first in SealedFolder.segments(folder) {
            let head = try facts.head(first) { () throws(StoreFailure) in
                try SegmentReader(folder, first, identities).head()
            }
            if let head { found.append(Segment(first: first, head: head)) }
        }
        segments = found
        facts.keep(Set(found.map(\.first)))
    }

    /// Changes when something was recorded.
    var version: Int64 {
        let names = SealedFolder.segments(folder)
        var hasher = UInt64(names.count)
        for first in names.suffix(2) {
            let facts = SealedFolder.facts(folder, first)
            for number in [first, facts.size, facts.changed] {
                hasher = (hasher ^ UInt64(bitPattern: number)) &* 0x9FB2_1C65_1E98_DF25
                hasher ^= hasher >> 29
            }
        }
        return Int64(bitPattern: hasher)
    }

    var size: Int64 { SealedFolder.segments(folder).reduce(0) { $0 + SealedFolder.facts(folder, $1).size } }

    /// The segment with an exchange, if it is there.
    func index(of id: Int64) -> Int? { segments.lastIndex { $0.first <= id } }

    /// Segments that may have exchanges between two numbers, in the order of a list.
    func order(before: Int64?, after: Int64?) -> [Int] {
        let isAscending = after != nil && before == nil
        let wanted = segments.indices.filter { index in
            let end = index + 1 < segments.count ? segments[index + 1].first : .max
            return segments[index].first < before ?? .max && end - 1 > after ?? -1
        }
        return isAscending ? wanted : wanted.reversed()
    }

    /// Whether none of a segment's exchanges can fulfil a condition.
    func isPassedOver(_ index: Int, _ condition: StoreCondition) -> Bool {
        guard let canHold = condition.canHold, index + 1 < segments.count else { return false }
        let (first, end) = (segments[index].first, segments[index + 1].first)
        // Those that ended in a later segment have their last facts there.
        guard let found = facts.index(first, { SegmentReader(folder, first, identities).index() }),
            !segments[(index + 1)...].contains(where: { $0.head.carried.contains { (first..<end).contains($0) } })
        else { return false }
        return !canHold(found)
    }

    /// A database with a segment's exchanges; nil if the one that was loaded last is still right.
    func load(_ index: Int) throws(StoreFailure) -> SQLiteConnection? {
        let segment = segments[index]
        let facts = SealedFolder.facts(folder, segment.first)
        let end = index + 1 < segments.count ? segments[index + 1].first : .max
        let carriers = segments[(index + 1)...].filter { later in
            later.head.carried.contains { (segment.first..<end).contains($0) }
        }
        if let loaded, loaded.first == segment.first, loaded.facts == facts, carriers.isEmpty { return nil }
        loads += 1
        let connection = try OpenedStore.empty(folder)
        let writer = try BatchWriter(connection)
        let ids = segment.first..<end
        for source in [segment] + carriers {
            let carried = Set(source.head.carried)
            let isOwn = source.first == segment.first
            let frames = try SegmentReader(folder, source.first, identities).frames()
            for frame in frames.dropFirst() {
                let batch = SegmentFrame.batch(frame) { id in
                    isOwn ? ids.contains(id) : ids.contains(id) && carried.contains(id)
                }
                guard let (batch, first) = batch else {
                    throw StoreFailure(.otherVersion, path: folder, "a segment was written by another version of Shunt")
                }
                if !batch.isEmpty { _ = try writer.write(batch, as: first) }
            }
        }
        loaded = (segment.first, facts)
        return connection
    }
}
