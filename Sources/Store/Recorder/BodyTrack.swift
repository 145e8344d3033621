import Bytes
import Redaction

/// One body on its way into the store: decoded, redacted, cut at the limit.
struct BodyTrack {
    /// What is to be said of a body.
    struct Flags: OptionSet, Sendable {
        let rawValue: Int64
        static let cut = Flags(rawValue: 1)
        static let decoded = Flags(rawValue: 2)
        static let undecodable = Flags(rawValue: 4)
        static let dropped = Flags(rawValue: 8)
    }

    /// Multiple of the limit up to which is decoded in search of bytes to keep.
    private static let growth = 16

    var flags: Flags = []
    private(set) var kept = 0
    var head: HeadFields?
    /// What was written of it, where it is looked into; nil where it is not, and for a long body.
    var collected: [UInt8]?
    private static let maxCollected = 256 << 10
    private var decoded = 0
    private var decoder: (any BodyDecoding)?
    private var filter: BodyRedaction?
    private var hasBegun = false
    private var isClosed = false

    /// Tools that the tracks of all bodies share.
    struct Tools {
        let limit: Int
        let makeDecoder: (@Sendable (ArraySlice<UInt8>) -> (any BodyDecoding)?)?
        /// Room for a decoder's output.
        var room = [UInt8](repeating: 0, count: 1 << 16)
    }

    var state: FrameSection.BodyState { FrameSection.BodyState(flags: flags, kept: kept) }

    /// Bytes of it were lost, if there are any.
    mutating func drop() { if hasBegun { close(.dropped) } }

    /// No further bytes are kept.
    mutating func close(_ reason: Flags) {
        flags.formUnion(reason)
        isClosed = true
        (decoder, filter) = (nil, nil)
    }

    mutating func add(
        _ input: ArraySlice<UInt8>, _ secrets: RecordingRedaction?, _ tools: inout Tools, to bytes: inout [UInt8]
    ) {
        guard !isClosed, !input.isEmpty else { return }
        if !hasBegun { begin(secrets, tools) }
        guard !isClosed else { return }
        if decoder == nil {
            redact(input, tools.limit, to: &bytes)
        } else {
            decode(input, isLast: false, &tools, to: &bytes)
        }
    }

    /// Counts a body that was written as a whole by other means.
    mutating func take(whole count: Int) {
        kept = count
        isClosed = true
    }

    /// Notes bytes that were written, where they are looked into.
    @inline(__always)
    mutating func collect(_ bytes: @autoclosure () -> ArraySlice<UInt8>) {
        guard collected != nil else { return }
        let bytes = bytes()
        if (collected?.count ?? 0) + bytes.count > Self.maxCollected {
            collected = nil
        } else {
            collected?.append(contentsOf: bytes)
        }
    }

    /// Writes the bytes that were held back, after the last ones.
    mutating func finish(_ tools: inout Tools, to bytes: inout [UInt8]) {
        guard hasBegun, !isClosed else { return }
        if decoder != nil { decode([], isLast: true, &tools, to: &bytes) }
        if !isClosed, filter != nil {
            let start = bytes.count
            filter?.finish(into: &bytes)
            cut(from: start, tools.limit, &bytes)
        }
        isClosed = true
        (decoder, filter) = (nil, nil)
    }

    private mutating func begin(_ secrets: RecordingRedaction?, _ tools: borrowing Tools) {
        hasBegun = true
        if let head, head.isEncoded, let encoding = head.contentEncoding {
            decoder = tools.makeDecoder?(encoding[...])
            if decoder != nil {
                flags.insert(.decoded)
            } else {
                flags.insert(.undecodable)
                // It may have secrets that cannot be found.
                if secrets?.isComplete == true { return close(.undecodable) }
            }
        }
        filter = secrets?.body(contentType: head?.bodyType)
    }

    private mutating func decode(
        _ input: ArraySlice<UInt8>, isLast: Bool, _ tools: inout Tools, to bytes: inout [UInt8]
    ) {
        var rest = input
        while !isClosed {
            guard let (taken, given) = decoder?.decode(rest, isLast: isLast, into: &tools.room),
                taken >= 0, taken <= rest.count, given >= 0, given <= tools.room.count
            else {
                // A body that was cut has no valid end.
                if !isLast || !flags.contains(.cut) { close(.undecodable) }
                return
            }
            rest = rest.dropFirst(taken)
            redact(tools.room[..<given], tools.limit, to: &bytes)
            decoded += given
            // A filter may drop bytes that grow without end.
            if decoded / Self.growth > max(tools.limit, Self.growth << 10) { return close(.cut) }
            // A decoder that neither reads nor writes would be called for ever.
            if given < tools.room.count, rest.isEmpty || taken + given == 0 { return }
        }
    }

    private mutating func redact(_ body: ArraySlice<UInt8>, _ limit: Int, to bytes: inout [UInt8]) {
        let start = bytes.count
        if filter != nil {
            filter?.redact(body.span, into: &bytes)
        } else {
            // One byte above the limit shows that there were more.
            bytes.append(body.span, 0..<min(body.count, max(0, limit - kept) + 1))
        }
        cut(from: start, limit, &bytes)
    }

    /// Removes the bytes above the limit that were written from `start` on.
    private mutating func cut(from start: Int, _ limit: Int, _ bytes: inout [UInt8]) {
        let count = min(max(0, limit - kept), bytes.count - start)
        kept += count
        guard bytes.count - start > count else { return }
        bytes.removeLast(bytes.count - start - count)
        close(.cut)
    }
}
