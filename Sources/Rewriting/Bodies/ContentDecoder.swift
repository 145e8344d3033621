/// Decodes the content codings of one body while it streams, in bounded memory (RFC 9110 8.4).
///
/// Confined to one thread.
public final class ContentDecoder {
    private let chain: BodyChain

    private init(_ chain: BodyChain) { self.chain = chain }

    /// A decoder for the value of Content-Encoding; nil where one of the codings is unknown, where there is none to
    /// undo, and for lack of memory.
    public static func make(contentEncoding: Span<UInt8>) -> ContentDecoder? {
        guard let codings = ContentCoding.list(contentEncoding), !codings.isEmpty else { return nil }
        var stages: [any BodyStage] = []
        for coding in codings.reversed() {
            guard let decoder = coding.makeDecoder() else { return nil }
            stages.append(decoder)
        }
        return ContentDecoder(BodyChain(stages))
    }

    /// Takes what it can and gives what fits; room that is left over says that all was taken.
    public func step(
        _ input: UnsafeRawBufferPointer, isLast: Bool, into room: UnsafeMutableRawBufferPointer
    ) throws(BodyRewriteFailure) -> (taken: Int, given: Int) {
        var (taken, given) = (0, 0)
        while true {
            let progress = try chain.run(input.after(taken), isLast ? .finish : .flush, into: room.after(given))
            taken += progress.taken
            given += progress.given
            if !progress.isInterrupted || given == room.count { return (taken, given) }
        }
    }
}
