/// How far an unfinished head has been read, so that a sender who trickles costs no more than one who does not.
struct HeadProgress: Sendable {
    /// Where the unfinished line begins; all before it has been read for good.
    var line = 0
    /// The first line has been read.
    var isInFields = false
    /// No line ends between `line` and here; 0 before a head has begun.
    private var scanned = 0

    enum Entry {
        case fresh, resumed, stillUnfinished
    }

    /// What to do with a head of which `bytes` are there.
    ///
    /// Unless ``suspend(at:)`` follows, the next one is fresh.
    mutating func enter(_ bytes: Span<UInt8>, limit: Int) -> Entry {
        let from = scanned
        guard from > 0, from <= bytes.count else {
            self = HeadProgress()
            return .fresh
        }
        let end = min(bytes.count, limit)
        // At the limit the line is looked at once more: what it breaks so far is the better message.
        if end < limit, from >= end || Scan.byte(0x0A, in: bytes, from: from, to: end) == end {
            scanned = bytes.count
            return .stillUnfinished
        }
        scanned = 0
        return .resumed
    }

    mutating func suspend(at count: Int) { scanned = count }
}

extension HTTPFailure {
    @inline(never)
    static func headTooLong(_ limit: Int, isFirstLine: Bool) -> HTTPFailure {
        isFirstLine
            ? HTTPFailure(
                .requestLineTooLong, "a first line of more than \(limit) bytes: that is the limit set for a head")
            : HTTPFailure(.headTooLong, "a head of more than \(limit) bytes: that is the limit set")
    }
}
