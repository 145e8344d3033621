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
        /// Bytes of frames.
        case content(Bytes)
        /// Bytes of frames' directories.
        case directory(Bytes)
        /// A frame's number, by its place in the batch.
        case frame(Int64)
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
        case context, certificate, exchange, exchangeUpdate, entry, frame

        /// Whether every ordinary exchange has such a row, so that several are written at once.
        var isInserted: Bool { self == .exchange }
    }

    /// Large enough that transactions cost little, small enough that memory does.
    private static let limit = 1 << 20
    /// What new exchanges have in common is shared by so many at most.
    static let maxNew: Int64 = 4096

    var bytes: [UInt8] = []
    var frames = FrameWriter()
    var contexts = ContextTable()
    var chains = ChainTable()
    private(set) var values: ContiguousArray<Value> = []
    /// The values of each table's rows, in the order of ``Table``; each table's own order counts.
    private(set) var rows = ContiguousArray<ContiguousArray<Range<Int>>>(repeating: [], count: Table.allCases.count)
    private(set) var newCount: Int64 = 0
    /// What is told once it is written.
    var ended: [(record: ExchangeRecord, identity: Identity)] = []
    var endedCount: UInt64 = 0

    var isFull: Bool {
        newCount >= Self.maxNew
            || bytes.count + frames.bytes.count + values.count * MemoryLayout<Value>.stride >= Self.limit
    }
    var isEmpty: Bool { values.isEmpty && frames.isEmpty }
    /// Frames that it has once it is finished.
    var frameCount: Int64 = 0

    mutating func newIdentity() -> Identity {
        defer { newCount += 1 }
        return .new(newCount)
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.limit * 2)
        frames.removeAll()
        contexts.removeAll()
        chains.removeAll()
        values.removeAll(keepingCapacity: true)
        for index in rows.indices { rows[index].removeAll(keepingCapacity: true) }
        ended.removeAll(keepingCapacity: true)
        (newCount, frameCount, endedCount) = (0, 0, 0)
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

    /// Adds the rows of frames and entries; nothing may be added to the batch afterwards.
    mutating func finish() {
        frames.finish()
        for entry in frames.entries {
            let mark = mark
            add(.identity(entry.identity))
            add(.frame(entry.frame))
            add(entry.place)
            add(entry.kinds.rawValue)
            add(entry.message)
            add(entry.messages)
            end(.entry, at: mark)
        }
        for frame in frames.frames {
            let mark = mark
            add(.frame(frameCount))
            add(frame.begun.map { .identity(.new($0.lowerBound)) } ?? .null)
            add(frame.begun.map { .identity(.new($0.upperBound)) } ?? .null)
            add(.directory(Bytes(frame.directory)))
            add(.content(Bytes(frame.bytes)))
            end(.frame, at: mark)
            frameCount += 1
        }
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
        let content: UnsafeRawPointer?
        let directory: UnsafeRawPointer?
    }

    func withSources<Result>(_ use: (Sources) -> Result) -> Result {
        bytes.withUnsafeBytes { bytes in
            frames.bytes.withUnsafeBytes { content in
                frames.directory.withUnsafeBytes { directory in
                    use(
                        Sources(
                            bytes: bytes.baseAddress, content: content.baseAddress, directory: directory.baseAddress))
                }
            }
        }
    }
}
