import Age
import Platform

/// The segments of a sealed store, each of which becomes a database in memory while it is read; confined to its owner.
final class SealedTraffic {
    struct Segment {
        let name: SegmentName
        let head: SegmentFrame.Head

        var first: Int64 { name.first }
    }

    let folder: String
    private let identities: [any AgeIdentity]
    private let facts: SegmentFacts
    private(set) var segments: [Segment] = []
    /// The one that the reader's database has, and the state of the files that it was made from.
    private var loaded: (name: SegmentName, state: Int64)?
    /// Segments that were opened so far.
    private(set) var loads = 0

    init(_ folder: String, _ opened: SealedStores.Opened) throws(StoreFailure) {
        (self.folder, identities, facts) = (folder, opened.identities, opened.facts)
        try SealedFolder.check(folder)
        try refresh()
    }

    /// Reads which segments there are.
    func refresh() throws(StoreFailure) {
        var found: [Segment] = []
        for name in SealedFolder.segments(folder) {
            let head = try facts.head(name) { () throws(StoreFailure) in
                try SegmentReader(folder, name, identities).head()
            }
            if let head { found.append(Segment(name: name, head: head)) }
        }
        segments = found
        facts.keep(Set(found.map(\.name)))
    }

    /// Changes when something was recorded.
    var version: Int64 {
        let names = SealedFolder.segments(folder)
        return state(of: names.suffix(2), seed: names.count)
    }

    /// A number that changes with the files of some segments.
    private func state(of names: some Sequence<SegmentName>, seed: Int = 0) -> Int64 {
        var hasher = UInt64(seed)
        for name in names {
            let facts = SealedFolder.facts(folder, name)
            for number in [name.number, name.first, facts.size, facts.changed] {
                hasher = (hasher ^ UInt64(bitPattern: number)) &* 0x9FB2_1C65_1E98_DF25
                hasher ^= hasher >> 29
            }
        }
        return Int64(bitPattern: hasher)
    }

    var size: Int64 { SealedFolder.segments(folder).reduce(0) { $0 + SealedFolder.facts(folder, $1).size } }

    /// The numbers of the exchanges that began in a segment; empty where it has nothing but parts of earlier ones.
    private func own(_ index: Int) -> Range<Int64> {
        segments[index].first..<(index + 1 < segments.count ? segments[index + 1].first : .max)
    }

    /// The segment with an exchange, if it is there.
    func index(of id: Int64) -> Int? { segments.lastIndex { $0.first <= id } }

    /// Segments that may have exchanges between two numbers, in the order of a list.
    func order(before: Int64?, after: Int64?) -> [Int] {
        let isAscending = after != nil && before == nil
        let wanted = segments.indices.filter { index in
            let own = own(index)
            return !own.isEmpty && own.lowerBound < before ?? .max && own.upperBound - 1 > after ?? -1
        }
        return isAscending ? wanted : wanted.reversed()
    }

    /// Whether none of a segment's exchanges can fulfil a condition.
    func isPassedOver(_ index: Int, _ condition: StoreCondition) -> Bool {
        guard let canHold = condition.canHold, index + 1 < segments.count else { return false }
        let (name, own) = (segments[index].name, own(index))
        // Those that ended in a later segment have their last facts there.
        guard let found = facts.index(name, { SegmentReader(folder, name, identities).index() }),
            !segments[(index + 1)...].contains(where: { $0.head.carried.contains { own.contains($0) } })
        else { return false }
        return !canHold(found)
    }

    /// A database with a segment's exchanges; nil if the one that was loaded last is still right.
    func load(_ index: Int) throws(StoreFailure) -> SQLiteConnection? {
        let (segment, ids) = (segments[index], own(index))
        let carriers = segments[(index + 1)...].filter { later in later.head.carried.contains { ids.contains($0) } }
        let sources = [segment] + carriers
        let state = state(of: sources.map(\.name))
        if let loaded, loaded.name == segment.name, loaded.state == state { return nil }
        loads += 1
        let connection = try OpenedStore.empty(folder)
        let writer = try BatchWriter(connection)
        for source in sources {
            let carried = Set(source.head.carried)
            let isOwn = source.name == segment.name
            let frames = try SegmentReader(folder, source.name, identities).frames()
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
        loaded = (segment.name, state)
        return connection
    }
}
