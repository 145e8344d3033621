import CSQLite
import Exchanges

/// Rows to be written in one transaction, all their bytes in one array.
struct WriteBatch {
    /// Where a row's text or bytes lie in the array.
    typealias Place = Range<Int>

    enum Value {
        case null
        case integer(Int64)
        case text(Bytes)
        case blob(Bytes)
        /// Bytes of blocks.
        case body(Bytes)
        /// Bytes of blocks' places.
        case places(Bytes)
        case identity(Identity)
        /// The number of what one exchange has in no row but its own.
        case own(Identity)
        /// The newest exchange of the batch.
        case newest
    }

    /// A place in half the space, for there are many.
    struct Bytes {
        let start: UInt32
        let count: UInt32

        @inline(__always)
        init(_ place: Place) {
            (start, count) = (UInt32(truncatingIfNeeded: place.lowerBound), UInt32(truncatingIfNeeded: place.count))
        }
    }

    /// An exchange's number: known, or given when the batch is written.
    enum Identity {
        case stored(Int64)
        case new(Int64)
    }

    /// What becomes of a row, in the order in which that is done.
    enum Table: Int, CaseIterable {
        case context, certificate, exchange, exchangeUpdate, body, bodyUpdate, piece, message, block

        /// Whether every ordinary exchange has such a row, so that several are written at once.
        var isInserted: Bool { self == .exchange }
    }

    /// Large enough that transactions cost little, small enough that memory does.
    private static let limit = 1 << 20
    /// What new exchanges have in common is shared by so many at most.
    static let maxNew: Int64 = 4096

    var bytes: [UInt8] = []
    var body = BlockWriter()
    var contexts = ContextTable()
    var chains = ChainTable()
    private(set) var values: ContiguousArray<Value> = []
    /// The values of each table's rows, in the order of ``Table``; each table's own order counts.
    private(set) var rows = ContiguousArray<ContiguousArray<Range<Int>>>(repeating: [], count: Table.allCases.count)
    private(set) var newCount: Int64 = 0
    /// What is told once it is written.
    var ended: [(exchange: Exchange, identity: Identity)] = []
    var endedCount: UInt64 = 0

    var isFull: Bool {
        newCount >= Self.maxNew
            || bytes.count + body.bytes.count + values.count * MemoryLayout<Value>.stride >= Self.limit
    }
    var isEmpty: Bool { values.isEmpty }

    mutating func newIdentity() -> Identity {
        defer { newCount += 1 }
        return .new(newCount)
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.limit * 2)
        body.removeAll()
        contexts.removeAll()
        chains.removeAll()
        values.removeAll(keepingCapacity: true)
        for index in rows.indices { rows[index].removeAll(keepingCapacity: true) }
        ended.removeAll(keepingCapacity: true)
        (newCount, endedCount) = (0, 0)
    }

    /// Begins a row; its values follow, one per column, and then ``end(_:at:)``.
    var mark: Int { values.count }

    @inline(__always)
    mutating func add(_ value: Value) { values.append(value) }

    @inline(__always)
    mutating func add(_ number: Int64?) { values.append(number.map { .integer($0) } ?? .null) }

    @inline(__always)
    mutating func add(text: String?) {
        guard let text else { return values.append(.null) }
        values.append(.text(Bytes(append(text))))
    }

    @inline(__always)
    mutating func add(text place: Place?) { values.append(place.map { .text(Bytes($0)) } ?? .null) }

    @inline(__always)
    mutating func add(blob place: Place?) { values.append(place.map { .blob(Bytes($0)) } ?? .null) }

    mutating func end(_ table: Table, at mark: Int) { rows[table.rawValue].append(mark..<values.count) }

    /// To be called before bytes of a new exchange are put into the present block.
    mutating func makeRoom(for exchange: Int64) { add(body.makeRoom(for: exchange)) }

    /// Adds the body of a new exchange, which was put into the present block.
    mutating func add(_ exchange: Int64, _ places: BodyPlaces) { add(body.add(exchange, places)) }

    /// Ends the block that is being written; nothing may be added to the batch afterwards.
    mutating func finish() { add(body.finish()) }

    private mutating func add(_ block: BlockWriter.Finished?) {
        guard let block else { return }
        let mark = mark
        add(.identity(.new(block.exchanges.lowerBound)))
        add(.identity(.new(block.exchanges.upperBound)))
        add(.places(Bytes(block.places)))
        add(.body(Bytes(block.bytes)))
        end(.block, at: mark)
    }

    /// Puts text among the bytes.
    @inline(__always)
    mutating func append(_ text: String) -> Place {
        let start = bytes.count
        // Not through the view of its UTF-8, which goes the long way.
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
        return start..<bytes.count
    }

    mutating func append(_ body: some Collection<UInt8>) -> Place {
        let start = bytes.count
        bytes.append(contentsOf: body)
        return start..<bytes.count
    }

    /// The same without a slice, which would be counted.
    @inline(__always)
    mutating func append(_ body: [UInt8], _ place: Range<Int>) -> Place {
        let start = bytes.count
        body.withUnsafeBytes { bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[place])) }
        return start..<bytes.count
    }

    /// The place of a row's bytes; nil without any.
    struct Sources {
        let bytes: UnsafeRawPointer?
        let body: UnsafeRawPointer?
        let places: UnsafeRawPointer?
    }

    func withSources<Result>(_ use: (Sources) -> Result) -> Result {
        bytes.withUnsafeBytes { bytes in
            body.bytes.withUnsafeBytes { body in
                self.body.places.withUnsafeBytes { places in
                    use(
                        Sources(
                            bytes: bytes.baseAddress, body: body.baseAddress, places: places.baseAddress))
                }
            }
        }
    }
}
