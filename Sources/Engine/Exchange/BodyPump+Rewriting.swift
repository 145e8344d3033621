import Bytes
import HTTP
import Rewriting

// A body that is rewritten: input and output lengths have no fixed relation.
extension BodyPump {
    /// Room below which it is not worth beginning a chunk.
    private static let minRoom = 1024
    /// Four hexadecimal digits and CRLF: no buffer takes more.
    private static let headerLength = 6

    /// Moves so many bytes of a body at the front of the source through the rewriter.
    /// - Parameters:
    ///   - isLast: the body has ended: the rest comes out, maybe in several steps.
    ///   - flush: no more input for now: bytes that the rewriter has decided on are sent without waiting for more.
    mutating func rewrite(
        _ length: Int, isLast: Bool = false, flush: Bool = false, from source: Channel, to sink: Channel,
        with rewriter: BodyRewriter
    ) throws(Failure) -> Step {
        let isChunked = encoding == .chunked
        let room = try makeRoom(in: sink, for: Self.minRoom)
        guard room >= Self.minRoom else { return .needsOutput }
        let start = isChunked ? Self.headerLength : 0
        let all = sink.output.unsafeRoom
        let body = UnsafeMutableRawBufferPointer(rebasing: all[start..<min(room, 0xFFFF)])
        let progress: (taken: Int, given: Int, isFinished: Bool)
        do throws(BodyRewriteFailure) {
            let input = UnsafeRawBufferPointer(rebasing: source.input.unsafeBytes[..<length])
            progress = try rewriter.step(input, isLast: isLast, flush: flush, into: body)
        } catch {
            recording?.add(origin: UnsafeRawBufferPointer(start: nil, count: 0), differs: true)
            throw .unreadable(error)
        }
        if let recording {
            let read = UnsafeRawBufferPointer(rebasing: source.input.unsafeBytes[..<progress.taken])
            recording.add(origin: read, differs: rewriter.hasChanged)
            recording.add(side, UnsafeRawBufferPointer(rebasing: body[..<progress.given]))
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
        if length > 0 {
            use(progress.taken, of: source)
            needsFlush = true
        }
        if flush, progress.given < body.count, !rewriter.isInterrupted { needsFlush = false }
        if isLast, progress.isFinished { hasFinishedRewriting = true }
        return .moved
    }
}
