/// Frames by hand (RFC 9113 6), right or wrong as a test wants them.
public struct HTTP2Frame: Equatable, Sendable, CustomStringConvertible {
    public enum Kind: UInt8, Sendable {
        case data, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
        case priorityUpdate = 0x10
        case unknown = 0x77
    }

    public static let endStream: UInt8 = 1
    public static let acknowledgement: UInt8 = 1
    public static let endHeaders: UInt8 = 4
    public static let padded: UInt8 = 8
    public static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    public var kind: UInt8
    public var flags: UInt8
    public var stream: UInt32
    public var payload: [UInt8]

    public init(_ kind: Kind, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) {
        (self.kind, self.flags, self.stream, self.payload) = (kind.rawValue, flags, stream, payload)
    }

    public var bytes: [UInt8] {
        let count = payload.count
        return [UInt8(count >> 16 & 0xff), UInt8(count >> 8 & 0xff), UInt8(count & 0xff), kind, flags]
            + Self.number(stream) + payload
    }

    /// What there is of whole frames.
    public static func read(_ bytes: [UInt8]) -> [HTTP2Frame] {
        var frames: [HTTP2Frame] = []
        var index = 0
        while bytes.count - index >= 9 {
            let count = Int(bytes[index]) << 16 | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2])
            guard bytes.count - index - 9 >= count else { break }
            var frame = HTTP2Frame(.unknown, flags: bytes[index + 4])
            frame.kind = bytes[index + 3]
            frame.stream = number(bytes[(index + 5)...]) & 0x7fff_ffff
            frame.payload = Array(bytes[(index + 9)..<(index + 9 + count)])
            frames.append(frame)
            index += 9 + count
        }
        return frames
    }

    public static func number(_ value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 0xff), UInt8(value >> 8 & 0xff), UInt8(value & 0xff)]
    }

    public static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The error code of RST_STREAM and GOAWAY.
    public var code: UInt32? {
        switch Kind(rawValue: kind) {
        case .resetStream where payload.count == 4: Self.number(payload[...])
        case .goAway where payload.count >= 8: Self.number(payload[4...])
        default: nil
        }
    }

    public func `is`(_ kind: Kind) -> Bool { self.kind == kind.rawValue }

    public var description: String {
        let name = Kind(rawValue: kind).map { "\($0)" } ?? "\(kind)"
        return "\(name) \(stream) flags \(flags), \(payload.count) bytes" + (code.map { ", code \($0)" } ?? "")
    }

    // MARK: What tests send

    public static func settings(_ values: [(UInt16, UInt32)] = []) -> HTTP2Frame {
        HTTP2Frame(
            .settings, values.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 0xff)] + number($0.1) })
    }

    public static func windowUpdate(_ increment: UInt32, stream: UInt32 = 0) -> HTTP2Frame {
        HTTP2Frame(.windowUpdate, stream: stream, number(increment))
    }

    public static func reset(_ stream: UInt32, _ code: UInt32 = 8) -> HTTP2Frame {
        HTTP2Frame(.resetStream, stream: stream, number(code))
    }

    public static func headers(
        _ stream: UInt32, _ fields: [(String, String)], ends: Bool = true
    ) -> HTTP2Frame {
        HTTP2Frame(.headers, flags: endHeaders | (ends ? endStream : 0), stream: stream, block(fields))
    }

    /// A field block of literals that enter no table (RFC 7541 6.2.2).
    public static func block(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { [0] + string($0.0) + string($0.1) }
    }

    /// A length of at most seven bits' prefix and the bytes, without Huffman coding (RFC 7541 5.2).
    public static func string(_ text: String) -> [UInt8] { length(text.utf8.count, prefix: 7) + Array(text.utf8) }

    /// An integer (RFC 7541 5.1).
    public static func length(_ value: Int, prefix: Int, first: UInt8 = 0) -> [UInt8] {
        let limit = (1 << prefix) - 1
        if value < limit { return [first | UInt8(value)] }
        var bytes = [first | UInt8(limit)]
        var rest = value - limit
        while rest >= 128 {
            bytes.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    /// What every request of a test begins with.
    public static func get(_ path: String = "/", authority: String = "a.test") -> [(String, String)] {
        [(":method", "GET"), (":scheme", "http"), (":authority", authority), (":path", path)]
    }
}
