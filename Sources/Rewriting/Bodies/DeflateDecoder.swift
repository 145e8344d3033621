/// Undoes deflate, which is zlib's format (RFC 9110 8.4.1.2), or, as some servers have it, no format around it at all.
final class DeflateDecoder: BodyStage {
    private var zlib: Inflater
    private var raw: Inflater
    /// The first byte while the second has not come.
    private var first: UInt8?
    private var isRaw: Bool?

    init?() {
        guard let zlib = Inflater(.deflate, windowBits: 15), let raw = Inflater(.deflate, windowBits: -15) else {
            return nil
        }
        self.zlib = zlib
        self.raw = raw
    }

    func run(
        _ input: UnsafeRawBufferPointer, _ mode: StageMode, into room: UnsafeMutableRawBufferPointer
    ) throws(BodyRewriteFailure) -> StageProgress {
        var total = StageProgress()
        if isRaw == nil { total.taken = try sniff(input) }
        guard let isRaw else {
            guard mode == .finish else { return total }
            guard first == nil else { throw BodyRewriteFailure(.truncated, .deflate) }
            total.isFinished = true
            return total
        }
        let rest = input.after(total.taken)
        let step = isRaw ? try raw.run(rest, into: room) : try zlib.run(rest, into: room)
        total.taken += step.taken
        total.given = step.given
        if isRaw ? raw.isEnded : zlib.isEnded {
            total.taken = input.count
            total.isFinished = mode == .finish
        } else if mode == .finish, total.taken == input.count, total.given < room.count {
            throw BodyRewriteFailure(.truncated, .deflate)
        }
        return total
    }

    /// Two bytes tell: a zlib header is a multiple of 31 (RFC 1950 2.2).
    private func sniff(_ input: UnsafeRawBufferPointer) throws(BodyRewriteFailure) -> Int {
        var taken = 0
        if first == nil {
            guard let byte = input.first else { return 0 }
            first = byte
            taken = 1
        }
        guard let first, taken < input.count else { return taken }
        let second = input[taken]
        let isZlib = first & 0x0F == 8 && first >> 4 <= 7 && (UInt16(first) << 8 | UInt16(second)) % 31 == 0
        isRaw = !isZlib
        if isZlib { try zlib.begin(with: [first]) } else { try raw.begin(with: [first]) }
        return taken
    }
}
