/// A name of ``RedactionRules``: whole, or open at either end.
struct NamePattern: Sendable {
    private let text: [UInt8]
    private let isOpenInFront: Bool
    private let isOpenBehind: Bool

    /// Nil for an empty name.
    init?(_ pattern: String) {
        var text = pattern.utf8.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
        guard !text.isEmpty else { return nil }
        isOpenInFront = text.first == UInt8(ascii: "*")
        if isOpenInFront { text.removeFirst() }
        isOpenBehind = text.last == UInt8(ascii: "*") || (isOpenInFront && text.isEmpty)
        if text.last == UInt8(ascii: "*") { text.removeLast() }
        self.text = text
    }

    func matches(_ name: Span<UInt8>) -> Bool {
        guard name.count >= text.count else { return false }
        let room = name.count - text.count
        if !isOpenBehind { return (isOpenInFront || room == 0) && spells(name, at: room) }
        return isOpenInFront ? (0...room).contains { spells(name, at: $0) } : spells(name, at: 0)
    }

    private func spells(_ name: Span<UInt8>, at start: Int) -> Bool {
        for index in 0..<text.count {
            let byte = name[start + index]
            if (byte &- 0x41 < 26 ? byte | 0x20 : byte) != text[index] { return false }
        }
        return true
    }
}
