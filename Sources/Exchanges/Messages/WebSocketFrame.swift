/// Frames as Shunt itself sends them (RFC 6455 5.2): whole messages, never compressed.
public enum WebSocketFrame {
    /// - Parameter key: the mask of a client's frame; nil for one of a server.
    public static func bytes(_ kind: MessageFacts.Kind, _ payload: [UInt8], key: UInt32? = nil) -> [UInt8] {
        let mask: UInt8 = key == nil ? 0 : 0x80
        var frame: [UInt8] = [0x80 | UInt8(truncatingIfNeeded: kind.opcode & 0x0F)]
        switch payload.count {
        case ..<126: frame.append(mask | UInt8(payload.count))
        case ..<65_536: frame += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            frame.append(mask | 127)
            frame += (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> ($0 * 8)) }
        }
        guard let key else { return frame + payload }
        frame += (0..<4).map { UInt8(truncatingIfNeeded: key >> ($0 * 8)) }
        let start = frame.count
        frame += payload
        frame.withUnsafeMutableBytes { all in
            WebSocketMask.apply(key, at: 0, to: UnsafeMutableRawBufferPointer(rebasing: all[start...]))
        }
        return frame
    }

    /// The payload of a close frame (RFC 6455 5.5.1).
    public static func closing(_ code: UInt16, _ reason: String) -> [UInt8] {
        [UInt8(code >> 8), UInt8(code & 0xFF)] + reason.utf8
    }
}

extension MessageFacts.Kind {
    /// That of RFC 6455 5.2; an event counts as text, and Chrome writes -1 for errors.
    public var opcode: Int {
        switch self {
        case .error: -1
        case .text, .event: 1
        case .binary: 2
        case .close: 8
        case .ping: 9
        case .pong: 10
        }
    }
}
