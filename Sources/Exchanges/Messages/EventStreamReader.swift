/// Reads the events of a `text/event-stream` (WHATWG HTML 9.2.6), in pieces of any size.
///
/// An event's data is kept up to a limit and counted beyond it. As for a client, a block without data is no event, nor
/// is an incomplete one at the stream's end.
public struct EventStreamReader {
    private enum State {
        /// In a field's name, or at the beginning of a line.
        case name
        /// Behind the colon, where one space is no part of the value.
        case valueStart
        case value
        case comment
    }

    private enum Field { case data, event, id, other }

    /// Bytes that are kept of a type, or of an ID.
    private static let maxNamed = 1 << 10
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))

    private var state = State.name
    /// Bytes of the byte order mark that came; nil behind it.
    private var marked: Int? = 0
    private var isAfterReturn = false
    /// The field's name as far as it may be one that counts.
    private var name = MessageAssembly(limit: 6)
    private var field = Field.other
    private var data: MessageAssembly
    private var type = MessageAssembly(limit: maxNamed)
    private var newID = MessageAssembly(limit: maxNamed)
    private var id: [UInt8] = []
    /// Fields have come since the last event ended.
    private var hasFields = false

    /// - Parameter limit: bytes that are kept of an event's data.
    public init(limit: Int) { data = MessageAssembly(limit: limit) }

    /// The last event is complete, and another one could follow.
    public var isBetweenEvents: Bool {
        state == .name && name.length == 0 && !hasFields && (marked ?? 0) == 0
    }

    /// Reads the next bytes, without content codings, and passes on the events that end in them.
    /// - Parameter time: microseconds since 1970, for all of them.
    public mutating func read(
        _ bytes: UnsafeRawBufferPointer, at time: Int64, _ visit: (MessageFacts, ServerSentEvent) -> Void
    ) {
        var at = skipMark(bytes)
        while at < bytes.count {
            let byte = bytes[at]
            if byte == Self.lineFeed || byte == Self.carriageReturn {
                // CR, LF and CRLF end a line alike.
                if byte == Self.carriageReturn || !isAfterReturn { endLine(time, visit) }
                isAfterReturn = byte == Self.carriageReturn
                at += 1
                continue
            }
            isAfterReturn = false
            switch state {
            case .name:
                at += 1
                if byte != UInt8(ascii: ":") {
                    name.add(byte)
                } else if name.length == 0 {
                    state = .comment
                } else {
                    beginValue()
                }
            case .valueStart:
                if byte == UInt8(ascii: " ") { at += 1 }
                state = .value
            case .value, .comment:
                let end = Self.lineEnd(bytes, at)
                if state == .value { add(UnsafeRawBufferPointer(rebasing: bytes[at..<end])) }
                at = end
            }
        }
    }

    /// Passes over the stream's first three bytes if they are a byte order mark.
    private mutating func skipMark(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard var found = marked else { return 0 }
        var at = 0
        while at < bytes.count, found < Self.mark.count {
            guard bytes[at] == Self.mark[found] else {
                // It was none: these bytes are the beginning of a name after all.
                for byte in Self.mark[..<found] { name.add(byte) }
                marked = nil
                return at
            }
            at += 1
            found += 1
        }
        marked = found == Self.mark.count ? nil : found
        return at
    }

    private static func lineEnd(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Int {
        var at = start
        while at < bytes.count, bytes[at] != lineFeed, bytes[at] != carriageReturn { at += 1 }
        return at
    }

    private mutating func beginValue() {
        field =
            if name.bytes.elementsEqual("data".utf8) {
                .data
            } else if name.bytes.elementsEqual("event".utf8) {
                .event
            } else if name.bytes.elementsEqual("id".utf8) {
                .id
            } else {
                .other
            }
        name.removeAll()
        if field == .event { type.removeAll() }
        state = .valueStart
    }

    private mutating func add(_ value: UnsafeRawBufferPointer) {
        switch field {
        case .data: data.add(value)
        case .event: type.add(value)
        case .id: newID.add(value)
        case .other: break
        }
    }

    private mutating func endLine(_ time: Int64, _ visit: (MessageFacts, ServerSentEvent) -> Void) {
        defer { state = .name }
        if state == .name {
            if name.length == 0 { return endEvent(time, visit) }
            // The whole line is a name, and its value is empty.
            beginValue()
        }
        guard state != .comment else { return }
        hasFields = true
        switch field {
        case .data: data.add(Self.lineFeed)
        case .id:
            if !newID.bytes.contains(0) { id = newID.bytes }
            newID.removeAll()
        case .event, .other: break
        }
        field = .other
    }

    private mutating func endEvent(_ time: Int64, _ visit: (MessageFacts, ServerSentEvent) -> Void) {
        defer { type.removeAll() }
        hasFields = false
        guard data.length > 0 else { return }
        data.removeLast()
        var facts = MessageFacts(time: time, sender: .origin, kind: .event, length: data.length)
        facts.isCut = data.isCut
        visit(facts, ServerSentEvent(type: type.bytes, id: id, data: data.bytes))
        data.removeAll()
    }
}
