extension AddressCursor {
    enum PathResponse {
        case yes, no, unknown
    }

    /// Goes past `path` if the path here lies under it, by whole segments.
    mutating func skipPath(_ bytes: Span<UInt8>, _ path: Span<UInt8>) -> PathResponse {
        guard !path.isEmpty else { return .yes }
        var cursor = self
        for at in path.indices {
            let wanted = path[at]
            let (character, next) = cursor.peek(bytes)
            switch character {
            case .byte(wanted): cursor.position = next
            case .unknown: return .unknown
            default: return .no
            }
        }
        let (character, next) = cursor.peek(bytes)
        switch character {
        case .unknown: return .unknown
        case .byte(0x2E):
            var behind = cursor
            behind.position = next
            switch behind.peek(bytes).character {
            case .unknown: return .unknown
            case .byte(let byte) where isSegmentByte(byte) || byte == 0x2E || byte == 0x2F: return .no
            default: break
            }
        case .byte(let byte) where isSegmentByte(byte): return .no
        default: break
        }
        self = cursor
        return .yes
    }
}
