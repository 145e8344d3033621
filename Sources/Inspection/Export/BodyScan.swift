import Redaction

/// Detects the kind of a body's bytes, piece by piece.
struct BodyScan {
    /// UTF-8 without control characters but for white space.
    private(set) var isText = true
    private(set) var count: Int64 = 0
    /// A secret is replaced somewhere.
    private(set) var hasReplacement = false
    private var held: [UInt8] = []
    private var tail: [UInt8] = []

    mutating func read(_ piece: [UInt8]) {
        count += Int64(piece.count)
        if !hasReplacement {
            hasReplacement = Replacement.isMentioned(in: tail.isEmpty ? piece : tail + piece)
            tail = Array(piece.suffix(Replacement.longest))
        }
        guard isText else { return }
        let bytes = held.isEmpty ? piece : held + piece
        let end = Self.completePrefix(bytes)
        held = Array(bytes[end...])
        isText = Self.isText(bytes[..<end])
    }

    mutating func finish() { isText = isText && held.isEmpty }

    static func of(_ bytes: [UInt8]) -> BodyScan {
        var scan = BodyScan()
        scan.read(bytes)
        scan.finish()
        return scan
    }

    private static func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
        let (hasControls, isASCII) = bytes.withUnsafeBufferPointer { bytes in
            var (controls, all): (UInt8, UInt8) = (0, 0)
            for byte in bytes {
                let isSpace = byte == 0x09 || byte == 0x0A || byte == 0x0C || byte == 0x0D
                controls |= byte == 0x7F || byte < 0x20 && !isSpace ? 1 : 0
                all |= byte
            }
            return (controls != 0, all < 0x80)
        }
        if hasControls || isASCII { return !hasControls }
        // The controls of the second kind, U+0080 to U+009F.
        if zip(bytes, bytes.dropFirst()).contains(where: { $0 == 0xC2 && $1 < 0xA0 }) { return false }
        return String(validating: bytes, as: UTF8.self) != nil
    }

    /// How many bytes there are without a character that goes on in the next piece.
    static func completePrefix(_ bytes: [UInt8]) -> Int {
        for back in 1...3 where back <= bytes.count {
            let byte = bytes[bytes.count - back]
            if byte & 0xC0 == 0x80 { continue }
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > back ? bytes.count - back : bytes.count
        }
        return bytes.count
    }
}
