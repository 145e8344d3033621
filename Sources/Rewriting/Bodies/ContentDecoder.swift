import Bytes

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

    /// All of a body, decoded; nil where it cannot be decoded, is incomplete, or has more than `limit` bytes.
    public static func whole(_ bytes: [UInt8], contentEncoding: [UInt8], limit: Int) -> [UInt8]? {
        guard let decoder = contentEncoding.withSpan({ make(contentEncoding: $0) }) else { return nil }
        var result: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 64 << 10)
        var taken = 0
        while true {
            let progress = bytes.withUnsafeBytes { input in
                room.withUnsafeMutableBytes { room in
                    try? decoder.step(UnsafeRawBufferPointer(rebasing: input[taken...]), isLast: true, into: room)
                }
            }
            guard let progress, result.count + progress.given <= limit else { return nil }
            result += room[..<progress.given]
            taken += progress.taken
            if progress.given < room.count { return taken == bytes.count ? result : nil }
        }
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
