/// Replaces secrets before anything is written; called on the recorder's thread only.
public protocol RecordingFilter: Sendable {
    /// The one for exchanges of a profile.
    func filter(profile: String?) -> any RecordingFilter
    func redact(url: String) -> String
    /// A request's or an answer's head, start line and fields.
    func redact(head: ArraySlice<UInt8>) -> [UInt8]
    /// Field lines alone.
    func redact(trailers: ArraySlice<UInt8>) -> [UInt8]
    func redact(message: ArraySlice<UInt8>, isText: Bool) -> [UInt8]
    /// For one body, whose content codings are off; nil if its bytes may stay as they are.
    func bodyFilter(contentType: ArraySlice<UInt8>?) -> (any BodyFilter)?
}

extension RecordingFilter {
    public func filter(profile: String?) -> any RecordingFilter { self }
}

/// Replaces secrets in one body, which comes in pieces.
public protocol BodyFilter {
    /// What can be said for sure by now.
    mutating func filter(_ piece: ArraySlice<UInt8>) -> [UInt8]
    /// What was held back.
    mutating func finish() -> [UInt8]
}

/// Undoes the content codings of one body, which comes in pieces.
public protocol BodyDecoding {
    /// Takes what it can of `input` and puts what fits into `room`.
    ///
    /// It is asked again until it takes all and leaves room.
    /// - Returns: how much was taken and given; nil if the bytes break the coding's rules.
    mutating func decode(
        _ input: ArraySlice<UInt8>, isLast: Bool, into room: inout [UInt8]
    ) -> (taken: Int, given: Int)?
}
