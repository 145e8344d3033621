import Bytes

/// Reads one secret that stands below its name, as a block scalar of YAML: `password: |` and indented lines.
///
/// The block goes as far as its lines are empty or indented as far as the first one.
struct BlockScan {
    private enum Place { case header, indent, text }

    private var secret: SecretValue
    private var place = Place.header
    /// The header, or what was read of a line's indentation.
    private var held: [UInt8] = []
    /// Line ends and empty lines, behind which the block may go on.
    private var pending: [UInt8] = []
    private var indent = 0
    private(set) var isOver = false

    init(_ secret: SecretValue) { self.secret = secret }

    /// Reads on; gives where what follows the value begins.
    mutating func read(_ bytes: Span<UInt8>, from start: Int, into out: inout [UInt8]) -> Int {
        for index in start..<bytes.count {
            let byte = bytes[index]
            switch place {
            case .header where byte == 0x0A:
                guard isHeader else {
                    finish(into: &out)
                    return index
                }
                out += held
                (held, pending, place) = ([], [byte], .indent)
            case .text where byte == 0x0A: (pending, place) = ([byte], .indent)
            case .text: secret.append(byte)
            case .indent where byte == 0x0A || byte == 0x0D:
                pending += held + [byte]
                held = []
            case .indent where byte != 0x20:
                guard held.count >= max(indent, 1) else {
                    finish(into: &out)
                    return index
                }
                if indent == 0 {
                    indent = held.count
                    out += pending + held
                } else {
                    secret.append(pending + held)
                }
                (held, pending, place) = ([], [], .text)
                secret.append(byte)
            default: held.append(byte)
            }
        }
        return bytes.count
    }

    /// Ends the block; a value that only began with `|` or `>` is replaced with them.
    mutating func finish(into out: inout [UInt8]) {
        if place == .header, !isHeader {
            secret.append(held)
            held = []
            secret.finish(.plain, into: &out)
        } else if indent > 0 {
            secret.finish(.plain, into: &out)
        }
        out += pending + held
        isOver = true
    }

    /// `|` or `>` with what YAML lets follow it.
    private var isHeader: Bool {
        held.dropFirst().allSatisfy { ByteSearch.isSpace($0) || $0 &- 0x30 < 10 || "+-".utf8.contains($0) }
    }
}
