import Bytes

/// Replaces secrets before anything is written; confined to the recorder's thread.
public protocol RecordingFilter {
    /// The filter for exchanges of a profile with rules of its own; nil for others.
    func filter(_ profile: ProfileRedaction?) -> any RecordingFilter
    func redact(url: Span<UInt8>, into out: inout [UInt8])
    /// A request's or a response's head, start line and fields.
    func redact(head: Span<UInt8>, into out: inout [UInt8])
    /// Field lines alone.
    func redact(trailers: Span<UInt8>, into out: inout [UInt8])
    func redact(message: Span<UInt8>, isText: Bool, into out: inout [UInt8])
    /// A text that may quote any bytes, perhaps cut off: a failure's message, a reason, a name.
    func redact(text: Span<UInt8>, isCut: Bool, into out: inout [UInt8])
    /// Appends the result of `redact` for repeated texts; it must depend on the text alone.
    func remembering(_ texts: Span<UInt8>, into out: inout [UInt8], _ redact: (inout [UInt8]) -> Void)
    /// The filter of one body without content codings; nil if its bytes may be kept unchanged.
    func bodyFilter(contentType: ArraySlice<UInt8>?) -> (any BodyFilter)?
    /// The same for a body that is complete.
    func redact(body: Span<UInt8>, contentType: [UInt8]?, into out: inout [UInt8])
}

extension RecordingFilter {
    public func filter(_ profile: ProfileRedaction?) -> any RecordingFilter { self }

    public func redact(text: Span<UInt8>, isCut: Bool, into out: inout [UInt8]) {
        redact(message: text, isText: true, into: &out)
    }

    public func remembering(_ texts: Span<UInt8>, into out: inout [UInt8], _ redact: (inout [UInt8]) -> Void) {
        redact(&out)
    }

    public func redact(body: Span<UInt8>, contentType: [UInt8]?, into out: inout [UInt8]) {
        guard var filter = bodyFilter(contentType: contentType.map { $0[...] }) else {
            return out.append(body, 0..<body.count)
        }
        filter.filter(body, into: &out)
        filter.finish(into: &out)
    }
}

/// Replaces secrets in one body, which comes in pieces.
public protocol BodyFilter {
    /// Appends the bytes that are decided.
    mutating func filter(_ piece: Span<UInt8>, into out: inout [UInt8])
    /// Appends the bytes that were held back.
    mutating func finish(into out: inout [UInt8])
}
