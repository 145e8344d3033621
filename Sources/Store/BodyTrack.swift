import Bytes
import Redaction

/// One body on its way into the store: decoded, freed of secrets, cut at the cap.
struct BodyTrack {
    /// What a row says of a body.
    struct Flags: OptionSet {
        let rawValue: Int64
        static let cut = Flags(rawValue: 1)
        static let decoded = Flags(rawValue: 2)
        static let undecodable = Flags(rawValue: 4)
        static let dropped = Flags(rawValue: 8)
    }

    /// As many times the cap is decoded in search of something to keep.
    private static let growth = 16

    var flags: Flags = []
    private(set) var kept = 0
    /// Rows that it has so far.
    var rows: Int64 = 0
    /// The flags as the last row has them.
    var writtenFlags: Flags = []
    var head: HeadFields?
    private var decoded = 0
    private var decoder: (any BodyDecoding)?
    private var filter: (any BodyFilter)?
    private var hasBegun = false
    private var isClosed = false

    /// What the tracks of all bodies work with.
    struct Tools {
        let limit: Int
        let makeDecoder: (@Sendable (ArraySlice<UInt8>) -> (any BodyDecoding)?)?
        /// Where a decoder writes.
        var room = [UInt8](repeating: 0, count: 1 << 16)
    }

    /// Nothing of it is kept from here on.
    mutating func close(_ reason: Flags) {
        flags.formUnion(reason)
        isClosed = true
        (decoder, filter) = (nil, nil)
    }

    mutating func add(
        _ input: ArraySlice<UInt8>, _ secrets: (any RecordingFilter)?, _ tools: inout Tools, to bytes: inout [UInt8]
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

    /// Puts out what was held back, after the last bytes.
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

    private mutating func begin(_ secrets: (any RecordingFilter)?, _ tools: borrowing Tools) {
        hasBegun = true
        if let head, head.isEncoded, let encoding = head.contentEncoding {
            decoder = tools.makeDecoder?(encoding[...])
            if decoder != nil {
                flags.insert(.decoded)
            } else {
                flags.insert(.undecodable)
                // Nobody can say whether there are secrets in it.
                if secrets != nil { return close(.undecodable) }
            }
        }
        filter = secrets?.bodyFilter(contentType: head?.bodyType.map { $0[...] })
    }

    private mutating func decode(
        _ input: ArraySlice<UInt8>, isLast: Bool, _ tools: inout Tools, to bytes: inout [UInt8]
    ) {
        var rest = input
        while !isClosed {
            guard let (taken, given) = decoder?.decode(rest, isLast: isLast, into: &tools.room),
                taken >= 0, taken <= rest.count, given >= 0, given <= tools.room.count
            else {
                // A body that was cut cannot end as it should.
                if !isLast || !flags.contains(.cut) { close(.undecodable) }
                return
            }
            rest = rest.dropFirst(taken)
            redact(tools.room[..<given], tools.limit, to: &bytes)
            decoded += given
            // A filter may swallow what grows without end.
            if decoded / Self.growth > max(tools.limit, Self.growth << 10) { return close(.cut) }
            // One that does neither would be asked for ever.
            if given < tools.room.count, rest.isEmpty || taken + given == 0 { return }
        }
    }

    private mutating func redact(_ body: ArraySlice<UInt8>, _ limit: Int, to bytes: inout [UInt8]) {
        let start = bytes.count
        if filter != nil {
            filter?.filter(body.span, into: &bytes)
        } else {
            // One byte too many tells that there were more.
            bytes.append(body.span, 0..<min(body.count, max(0, limit - kept) + 1))
        }
        cut(from: start, limit, &bytes)
    }

    /// Takes back what is beyond the cap of what was written from `start` on.
    private mutating func cut(from start: Int, _ limit: Int, _ bytes: inout [UInt8]) {
        let count = min(max(0, limit - kept), bytes.count - start)
        kept += count
        guard bytes.count - start > count else { return }
        bytes.removeLast(bytes.count - start - count)
        close(.cut)
    }
}
