import Bytes
import HTTP
import Rewriting

// A body that is rewritten: input and output lengths have no fixed relation.
extension BodyPump {
    /// Room below which it is not worth beginning a chunk.
    private static let minRoom = 1024
    /// Four hexadecimal digits and CRLF: no buffer takes more.
    private static let headerLength = 6

    /// Moves a body that lies at the front of the source through the rewriter.
    mutating func moveRewritten(
        _ length: Int, from source: Channel, to sink: Channel, with rewriter: BodyRewriter
    ) throws(Failure) -> Step {
        let input = UnsafeRawBufferPointer(rebasing: source.input.unsafeBytes[..<length])
        guard let progress = try rewrite(input, isLast: false, flush: false, to: sink, with: rewriter) else {
            return .needsOutput
        }
        use(progress.taken, of: source)
        needsFlush = true
        return .moved
    }

    /// No more input for now: bytes that the rewriter has decided on are sent without waiting for more.
    mutating func flushRewritten(to sink: Channel, with rewriter: BodyRewriter) throws(Failure) -> Step {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        guard let progress = try rewrite(none, isLast: false, flush: true, to: sink, with: rewriter) else {
            return .needsOutput
        }
        if !progress.isFull && !rewriter.isInterrupted { needsFlush = false }
        return .moved
    }

    /// The body has ended: the rest comes out, maybe in several steps.
    mutating func finishRewritten(to sink: Channel, with rewriter: BodyRewriter) throws(Failure) -> Step {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        guard let progress = try rewrite(none, isLast: true, flush: false, to: sink, with: rewriter) else {
            return .needsOutput
        }
        if progress.isFinished { hasFinishedRewriting = true }
        return .moved
    }

    /// nil if there is no room.
    private mutating func rewrite(
        _ input: UnsafeRawBufferPointer, isLast: Bool, flush: Bool, to sink: Channel, with rewriter: BodyRewriter
    ) throws(Failure) -> (taken: Int, isFull: Bool, isFinished: Bool)? {
        let isChunked = encoding == .chunked
        let room = try makeRoom(in: sink, for: Self.minRoom)
        guard room >= Self.minRoom else { return nil }
        let start = isChunked ? Self.headerLength : 0
        let all = sink.output.unsafeRoom
        let body = UnsafeMutableRawBufferPointer(rebasing: all[start..<min(room, 0xFFFF)])
        let progress: (taken: Int, given: Int, isFinished: Bool)
        do throws(BodyRewriteFailure) {
            progress = try rewriter.step(input, isLast: isLast, flush: flush, into: body)
        } catch {
            throw .unreadable(error)
        }
        if progress.given > 0 {
            if isChunked {
                for digit in 0..<4 {
                    let nibble = UInt8(truncatingIfNeeded: progress.given >> (12 - 4 * digit)) & 15
                    all[digit] = nibble < 10 ? nibble + UInt8(ascii: "0") : nibble - 10 + UInt8(ascii: "a")
                }
                all[4] = 0x0D
                all[5] = 0x0A
            }
            sink.output.didFill(start + progress.given)
            if isChunked { _ = sink.output.appendWhole("\r\n") }
        }
        return (progress.taken, progress.given == body.count, progress.isFinished)
    }
}
