/// An event of a stream (WHATWG HTML 9.2.6).
public struct ServerSentEvent: Sendable {
    /// Its type; empty for `message`.
    public var type: [UInt8]
    /// The last event ID as the client knows it now; empty if there is none.
    public var id: [UInt8]
    /// The kept part of its data, lines joined by LF.
    public var data: [UInt8]

    public init(type: [UInt8], id: [UInt8], data: [UInt8]) { (self.type, self.id, self.data) = (type, id, data) }

    /// A field of an event as it stands in a stream.
    ///
    /// - Parameter value: each of its lines becomes a field of its own, and of fields that have one line only the first
    ///   one counts.
    public static func field(_ name: String, _ value: [UInt8], hasLines: Bool = false) -> [UInt8] {
        var lines: [ArraySlice<UInt8>] = []
        var (start, at) = (0, 0)
        while at < value.count {
            let byte = value[at]
            at += 1
            guard byte == 0x0A || byte == 0x0D else { continue }
            lines.append(value[start..<at - 1])
            if byte == 0x0D, at < value.count, value[at] == 0x0A { at += 1 }
            start = at
        }
        lines.append(value[start...])
        return lines.prefix(hasLines ? .max : 1).flatMap { "\(name): ".utf8 + $0 + [0x0A] }
    }
}
