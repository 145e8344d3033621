import Bytes

/// The field `traceparent` of W3C Trace Context: which trace a request belongs to, and the span that it was sent in.
public struct TraceParent: Sendable, Equatable {
    /// Of 16 bytes, not all of them zero.
    public struct TraceID: Sendable, Hashable {
        public let high: UInt64
        public let low: UInt64

        /// nil for zero, which names no trace.
        public init?(high: UInt64, low: UInt64) {
            guard high | low != 0 else { return nil }
            (self.high, self.low) = (high, low)
        }
    }

    /// The flags that are known: `sampled`, and `random` of the second level of the specification.
    private static let knownFlags: UInt8 = 0x03
    private static let length = 55

    public var trace: TraceID
    /// Not zero.
    public var span: UInt64
    public var flags: UInt8

    public init(trace: TraceID, span: UInt64, flags: UInt8) {
        (self.trace, self.span, self.flags) = (trace, span, flags)
    }

    /// Whether the caller may have recorded the trace.
    public var isSampled: Bool { flags & 1 == 1 }

    /// Reads the value of a field; nil for what the specification says to ignore (W3C Trace Context 3.2).
    ///
    /// A later version may have more behind a hyphen, which is ignored; flags that are not known are dropped.
    public init?(_ bytes: Span<UInt8>) {
        guard bytes.count >= Self.length, bytes[2] == Self.hyphen, bytes[35] == Self.hyphen, bytes[52] == Self.hyphen,
            let version = Self.number(bytes, 0..<2), version != 0xFF,
            let high = Self.number(bytes, 3..<19), let low = Self.number(bytes, 19..<35),
            let trace = TraceID(high: high, low: low),
            let span = Self.number(bytes, 36..<52), span != 0,
            let flags = Self.number(bytes, 53..<55)
        else { return nil }
        if bytes.count > Self.length {
            guard version > 0, bytes[Self.length] == Self.hyphen else { return nil }
        }
        self.init(trace: trace, span: span, flags: UInt8(truncatingIfNeeded: flags) & Self.knownFlags)
    }

    /// Appends it in version 00.
    public func append(to out: inout [UInt8]) {
        out += [0x30, 0x30, Self.hyphen]
        trace.append(to: &out)
        out.append(Self.hyphen)
        Self.append(span, to: &out)
        out += [Self.hyphen, 0x30, 0x30 + flags & Self.knownFlags]
    }

    private static let hyphen = UInt8(ascii: "-")

    /// Hexadecimal digits in small letters, the only ones that are allowed.
    private static func number(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64? {
        var number: UInt64 = 0
        for index in range {
            let byte = bytes[index]
            let digit = byte &- 0x30 < 10 ? byte &- 0x30 : byte &- 0x61 < 6 ? byte &- 0x61 &+ 10 : 0xFF
            guard digit < 16 else { return nil }
            number = number &<< 4 | UInt64(digit)
        }
        return number
    }

    fileprivate static func append(_ number: UInt64, to out: inout [UInt8]) {
        for shift in stride(from: 60 as UInt64, through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: number &>> shift & 15)
            out.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
        }
    }

    /// The number of a span as 16 digits.
    public static func text(ofSpan span: UInt64) -> String {
        var out: [UInt8] = []
        append(span, to: &out)
        return String(decoding: out, as: UTF8.self)
    }
}

extension TraceParent.TraceID {
    fileprivate func append(to out: inout [UInt8]) {
        TraceParent.append(high, to: &out)
        TraceParent.append(low, to: &out)
    }

    /// 32 digits.
    public var text: String {
        var out: [UInt8] = []
        append(to: &out)
        return String(decoding: out, as: UTF8.self)
    }
}
