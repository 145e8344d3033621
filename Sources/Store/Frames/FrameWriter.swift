/// Puts heads, bodies and messages of a batch into frames.
///
/// A frame is a row, since a row for each exchange costs more, and what a reader of one exchange reads. Its bytes have no
/// number of an exchange: the exchanges that begin in it follow each other, and others are entries beside it.
struct FrameWriter {
    /// Limits of a frame, beyond which it ends with its exchange; long bodies go on in the next one.
    private static let (maxBytes, maxPart) = (32 << 10, 1 << 16)
    /// The most exchanges that begin in one frame.
    static let maxExchanges: Int64 = 256

    /// Of all frames of the batch, one behind the other.
    private(set) var bytes: [UInt8] = []
    private(set) var directory: [UInt8] = []
    private(set) var frames: ContiguousArray<Finished> = []
    private(set) var entries: ContiguousArray<Entry> = []
    /// The number of the present frame within the process, which is not used again.
    private(set) var number = 0
    private var start = 0
    private var directoryStart = 0
    /// Exchanges that begin in the present frame, among the batch's new ones; nil without any.
    private var begun: ClosedRange<Int64>?
    /// Sections of exchanges that began before.
    private var others: Int64 = 0
    private var identity = WriteBatch.Identity.new(0)
    private var section = FrameSection()
    private var nextMessage: Int64 = 0

    /// A frame that is complete.
    struct Finished {
        /// Places among the batch's new exchanges.
        var begun: ClosedRange<Int64>?
        var directory: Range<Int>
        var bytes: Range<Int>
    }

    /// An exchange that goes on in a frame.
    struct Entry {
        var identity: WriteBatch.Identity
        /// Among the frames of the batch.
        var frame: Int64
        /// Among the sections of exchanges that began before.
        var place: Int64
        var kinds: FrameSection.Kinds
        /// The number of its first message, or of the next one.
        var message: Int64
        var messages: Int64
    }

    init() {}

    /// Frames that were read again.
    init(bytes: [UInt8], directory: [UInt8]) { (self.bytes, self.directory) = (bytes, directory) }

    var isEmpty: Bool { frames.isEmpty && directory.count == directoryStart }

    /// The end of the present frame.
    private var end: Int { bytes.count - start }

    func content(_ place: Range<Int>) -> ArraySlice<UInt8> {
        bytes[start + place.lowerBound..<start + place.upperBound]
    }

    mutating func append(_ content: [UInt8]) -> Range<Int> { append { $0.append(contentsOf: content) } }

    /// Lets `write` append bytes, and returns their place in the present frame.
    mutating func append(_ write: (inout [UInt8]) -> Void) -> Range<Int> {
        let place = end
        write(&bytes)
        return place..<end
    }

    /// Begins what a piece has of an exchange.
    mutating func begin(_ identity: WriteBatch.Identity, isFirst: Bool, message: Int64) {
        if isFirst, let begun, begun.count >= Self.maxExchanges { finish() }
        self.identity = identity
        section = FrameSection()
        section.begins = isFirst
        nextMessage = message
    }

    mutating func add(requestHeads place: Range<Int>) { section.requestHeads = place }
    mutating func add(responseHeads place: Range<Int>) { section.responseHeads = place }
    mutating func add(otherHeads place: Range<Int>) { section.otherHeads = place }

    /// Adds more of a body, which goes on in further frames where it is long.
    ///
    /// - Parameter place: of bytes that were appended last, where there are many.
    mutating func add(_ body: StoredBody, _ place: Range<Int>) {
        var rest = place
        while rest.count > Self.maxPart {
            let first = rest.lowerBound..<rest.lowerBound + Self.maxPart
            section[body].place = first
            turn(at: first.upperBound)
            rest = 0..<rest.count - Self.maxPart
        }
        section[body].place = rest
    }

    mutating func add(_ message: FrameSection.Message) {
        if section.messages.isEmpty { section.firstMessage = nextMessage }
        section.messages.append(message)
        nextMessage += 1
        if end >= Self.maxBytes { turn(at: end) }
    }

    /// Ends what a piece has of an exchange.
    ///
    /// - Parameter state: of its bodies, unless it is the one that was written last.
    mutating func end(_ state: FrameSection.State?, isLast: Bool) {
        section.isWhole = section.begins && isLast
        if let state, !section.isWhole || state != section.plainState { section.state = state }
        close()
        if end >= Self.maxBytes { finish() }
    }

    /// Ends the present frame within an exchange, which goes on in the next one.
    private mutating func turn(at place: Int) {
        close()
        finish(at: place)
        section = FrameSection()
    }

    private mutating func close() {
        let mark = directory.count
        section.append(to: &directory)
        if section.begins {
            if case .new(let index) = identity { begun = (begun?.lowerBound ?? index)...index }
        } else if section.kinds.isEmpty {
            directory.removeLast(directory.count - mark)
        } else {
            let count = Int64(section.messages.count)
            entries.append(
                Entry(
                    identity: identity, frame: Int64(frames.count), place: others, kinds: section.kinds,
                    message: nextMessage - count, messages: count))
            others += 1
        }
    }

    /// Ends the present frame, if it is not empty.
    mutating func finish() { finish(at: end) }

    private mutating func finish(at place: Int) {
        guard directory.count > directoryStart else { return }
        let end = start + place
        frames.append(Finished(begun: begun, directory: directoryStart..<directory.count, bytes: start..<end))
        (start, directoryStart, begun, others) = (end, directory.count, nil, 0)
        number += 1
    }

    /// Forgets all frames.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= 2 << 20)
        directory.removeAll(keepingCapacity: directory.capacity <= 1 << 20)
        frames.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        (start, directoryStart, begun, others) = (0, 0, nil, 0)
        number += 1
    }
}
