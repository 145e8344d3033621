/// The head of a frame (RFC 6455 5.2), which may come in any pieces.
package struct WebSocketFrameHead {
    private var count = 0
    private var first: UInt8 = 0
    private var second: UInt8 = 0
    /// Bytes of the payload.
    package private(set) var length: UInt64 = 0
    /// The masking key, its first byte lowest.
    private(set) var key: UInt32 = 0

    package init() {}

    var isEmpty: Bool { count == 0 }

    /// Takes the next byte; true when it was the last one.
    package mutating func add(_ byte: UInt8) -> Bool {
        switch count {
        case 0: first = byte
        case 1:
            second = byte
            if lengthSize == 0 { length = UInt64(byte & 0x7F) }
        case ..<(2 + lengthSize): length = length << 8 | UInt64(byte)
        default: key |= UInt32(byte) << UInt32(8 * (count - 2 - lengthSize))
        }
        count += 1
        return count >= 2 && count == 2 + lengthSize + (isMasked ? 4 : 0)
    }

    /// Bytes that tell the length, where it is not in the second byte.
    private var lengthSize: Int {
        switch second & 0x7F {
        case 126: 2
        case 127: 8
        default: 0
        }
    }

    package var isFinal: Bool { first & 0x80 != 0 }
    /// RSV1, which says under permessage-deflate that a message is compressed (RFC 7692 6).
    package var isCompressed: Bool { first & 0x40 != 0 }
    var isReserved: Bool { first & 0x30 != 0 }
    var isMasked: Bool { second & 0x80 != 0 }
    package var isControl: Bool { first & 0x08 != 0 }
    package var isContinuation: Bool { first & 0x0F == 0 }

    /// nil for a continuation, and for what the protocol reserves.
    var kind: MessageFacts.Kind? {
        switch first & 0x0F {
        case 1: .text
        case 2: .binary
        case 8: .close
        case 9: .ping
        case 10: .pong
        default: nil
        }
    }

    /// The rule that the head breaks; nil if it breaks none.
    func problem(from sender: MessageFacts.Sender, isDeflating: Bool, isInMessage: Bool) -> String? {
        if isReserved || isCompressed && !isDeflating {
            return "a reserved bit is set, and no extension that Shunt knows was agreed on (RFC 6455 5.2)"
        }
        if kind == nil, !isContinuation { return "a frame of the reserved kind \(first & 0x0F) (RFC 6455 5.2)" }
        if isMasked != (sender == .client) {
            return sender == .client
                ? "a frame of a client without a mask (RFC 6455 5.1)" : "a masked frame of a server (RFC 6455 5.1)"
        }
        if length >> 63 != 0 { return "a frame of more than 2^63 bytes (RFC 6455 5.2)" }
        if isControl {
            if !isFinal { return "a control frame in fragments (RFC 6455 5.4)" }
            if length > 125 { return "a control frame of more than 125 bytes (RFC 6455 5.5)" }
            if isCompressed { return "a compressed control frame (RFC 7692 6.1)" }
            return kind == .close && length == 1 ? "half a status code in a close frame (RFC 6455 5.5.1)" : nil
        }
        if isContinuation {
            if !isInMessage { return "a continuation of nothing (RFC 6455 5.4)" }
            return isCompressed ? "a continuation that is marked as compressed (RFC 7692 6.1)" : nil
        }
        return isInMessage ? "a new message before the end of the last one (RFC 6455 5.4)" : nil
    }
}

/// Masking (RFC 6455 5.3), which undoes itself.
enum WebSocketMask {
    /// - Parameter offset: bytes of the payload in front of these.
    static func apply(_ key: UInt32, at offset: UInt64, to bytes: UnsafeMutableRawBufferPointer) {
        guard key != 0 else { return }
        let turn = UInt32(offset & 3) * 8
        let turned = turn == 0 ? key : key >> turn | key << (32 - turn)
        let word = (UInt64(turned) << 32 | UInt64(turned)).littleEndian
        var at = 0
        while at + 8 <= bytes.count {
            bytes.storeBytes(
                of: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self) ^ word, toByteOffset: at, as: UInt64.self)
            at += 8
        }
        while at < bytes.count {
            bytes[at] ^= UInt8(truncatingIfNeeded: turned >> UInt32(8 * (at & 3)))
            at += 1
        }
    }
}
