import Bytes

/// JSON laid out by its tokens: two spaces per level, one member per line, each value as it was spelled.
///
/// Other than a tree it takes what ends too early, and keys that occur twice; memory depends on depth alone.
struct JSONLayout {
    private enum Expected {
        case value, valueOrEnd, key, keyOrEnd, colon, commaOrEnd, nothing
    }

    static let depthLimit = 512

    private let bytes: ArraySlice<UInt8>
    private let isCut: Bool
    /// Nil while it is only checked.
    private let sink: LineSink?
    private var at: Int
    private var expected = Expected.value
    /// The closing brackets of the open arrays and objects.
    private var closing: [UInt8] = []
    private var line: [UInt8] = []

    /// Adds the lines, or nothing and says false if the bytes are no JSON, nor its beginning where they are cut.
    static func render(_ bytes: ArraySlice<UInt8>, isCut: Bool, to sink: LineSink) -> Bool {
        var check = JSONLayout(bytes, isCut, nil)
        guard check.run() else { return false }
        var layout = JSONLayout(bytes, isCut, sink)
        _ = layout.run()
        return true
    }

    private init(_ bytes: ArraySlice<UInt8>, _ isCut: Bool, _ sink: LineSink?) {
        (self.bytes, self.isCut, self.sink) = (bytes, isCut, sink)
        at = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.startIndex + 3 : bytes.startIndex
    }

    private mutating func run() -> Bool {
        while true {
            skipSpace()
            guard at < bytes.endIndex, sink?.isOver != true else { break }
            guard token() else { return false }
        }
        endLine()
        return expected == .nothing || isCut && (!closing.isEmpty || expected == .value)
    }

    private mutating func token() -> Bool {
        let byte = bytes[at]
        switch byte {
        case UInt8(ascii: "{"): return open(byte, closedBy: UInt8(ascii: "}"), .keyOrEnd)
        case UInt8(ascii: "["): return open(byte, closedBy: UInt8(ascii: "]"), .valueOrEnd)
        case UInt8(ascii: "}"), UInt8(ascii: "]"): return close(byte)
        case UInt8(ascii: ","):
            guard expected == .commaOrEnd, let closing = closing.last else { return false }
            expected = closing == UInt8(ascii: "}") ? .key : .value
            put(byte)
            endLine()
        case UInt8(ascii: ":"):
            guard expected == .colon else { return false }
            expected = .value
            put(byte)
            if sink != nil { line.append(0x20) }
        case UInt8(ascii: "\""): return string()
        default: return word()
        }
        return true
    }

    private mutating func open(_ byte: UInt8, closedBy end: UInt8, _ next: Expected) -> Bool {
        guard expected == .value || expected == .valueOrEnd, closing.count < Self.depthLimit else { return false }
        put(byte)
        closing.append(end)
        expected = next
        skipSpace()
        if at < bytes.endIndex, bytes[at] != end { endLine() }
        return true
    }

    private mutating func close(_ byte: UInt8) -> Bool {
        guard closing.last == byte else { return false }
        switch expected {
        case .keyOrEnd, .valueOrEnd: closing.removeLast()
        case .commaOrEnd:
            endLine()
            closing.removeLast()
        default: return false
        }
        put(byte)
        endValue()
        return true
    }

    private mutating func string() -> Bool {
        let isKey = expected == .key || expected == .keyOrEnd
        guard isKey || expected == .value || expected == .valueOrEnd else { return false }
        var end = at + 1
        while end < bytes.endIndex, bytes[end] != UInt8(ascii: "\"") {
            guard bytes[end] >= 0x20 else { return false }
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard end < bytes.endIndex || isCut else { return false }
        put(upTo: min(end + 1, bytes.endIndex))
        if isKey { expected = .colon } else { endValue() }
        return true
    }

    private mutating func word() -> Bool {
        guard expected == .value || expected == .valueOrEnd else { return false }
        let end = bytes[at...].firstIndex { !Self.isWord($0) } ?? bytes.endIndex
        let text = String(decoding: bytes[at..<end].prefix(1000), as: UTF8.self)
        let isNumber = text.utf8.first.map { $0 == UInt8(ascii: "-") || $0 &- 0x30 < 10 } ?? false
        let isWhole = ["true", "false", "null"].contains(text) || isNumber && Double(text) != nil
        guard end > at, isWhole || isCut && end == bytes.endIndex else { return false }
        put(upTo: end)
        endValue()
        return true
    }

    private mutating func endValue() { expected = closing.isEmpty ? .nothing : .commaOrEnd }

    private static func isWord(_ byte: UInt8) -> Bool {
        ByteSearch.isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
            || byte == UInt8(ascii: ".")
    }

    private mutating func skipSpace() { while at < bytes.endIndex, ByteSearch.isSpace(bytes[at]) { at += 1 } }

    private mutating func put(_ byte: UInt8) { put(upTo: at + 1) }

    private mutating func put(upTo end: Int) {
        if sink != nil {
            // Deeper levels are not indented further.
            if line.isEmpty { line += repeatElement(0x20, count: 2 * min(closing.count, 40)) }
            line += bytes[at..<end]
        }
        at = end
    }

    private mutating func endLine() {
        guard let sink, !line.isEmpty else { return }
        sink.add(bytes: line)
        line.removeAll(keepingCapacity: true)
    }
}
