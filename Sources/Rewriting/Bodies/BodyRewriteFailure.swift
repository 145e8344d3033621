/// Why a body could not be rewritten to its end: the origin's bytes could not be decoded.
///
/// Part of the body may have reached the client by then; the response can only be cut off.
public struct BodyRewriteFailure: Error, Equatable, Sendable {
    /// What is wrong.
    public enum Kind: Sendable {
        /// The body ends in the middle of a compressed stream.
        case truncated
        /// The bytes are not what the coding allows.
        case corrupt
        /// To decode it would take more memory than the coding's users have agreed on (RFC 9659).
        case windowTooLarge
        /// The coder itself failed, for lack of memory.
        case coder
    }

    public let kind: Kind
    /// A sentence naming the coding, and what was expected.
    public let reason: String

    @inline(never)
    init(_ kind: Kind, _ coding: ContentCoding, _ detail: String? = nil) {
        self.kind = kind
        let what: String
        switch kind {
        case .truncated: what = "the body ends before its \(coding.rawValue) stream does (Content-Encoding)"
        case .corrupt: what = "the body is not what its Content-Encoding says: corrupt \(coding.rawValue) data"
        case .windowTooLarge: what = "the body's \(coding.rawValue) window is larger than 8 MB (RFC 9659)"
        case .coder: what = "the \(coding.rawValue) coder failed"
        }
        reason = detail.map { "\(what): \($0)" } ?? what
    }
}
