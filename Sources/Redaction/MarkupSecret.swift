import Bytes
import Platform

/// An element whose text is a secret, from its tag to the end tag that belongs to it.
struct MarkupSecret {
    private static let longestSpace = 4096

    private let element: [UInt8]
    private let name: [UInt8]
    private let core: RedactionCore
    /// How many elements of this name are open.
    private var depth = 1
    private var value: SecretValue?
    private var unescaper = MarkupUnescaper()
    /// White space that may follow the value and is not part of it.
    private var spaces: [UInt8] = []
    private var brackets = 0
    private var isCharacterDataOver = false

    /// - Parameters:
    ///   - element: as it is written in the tag.
    ///   - name: the secret's name in its replacement.
    init(element: [UInt8], called name: [UInt8], core: RedactionCore) {
        (self.element, self.name, self.core) = (element, name, core)
    }

    mutating func open(_ bytes: Span<UInt8>, _ name: Range<Int>) {
        if isSame(bytes, name) { depth += 1 }
    }

    /// Whether an end tag ends it.
    mutating func isOver(after bytes: Span<UInt8>, _ name: Range<Int>) -> Bool {
        if isSame(bytes, name) { depth -= 1 }
        return depth == 0
    }

    private func isSame(_ bytes: Span<UInt8>, _ name: Range<Int>) -> Bool {
        element.withUnsafeBytes { bytes.equals(name, $0) }
    }

    /// A byte of its text; white space at the ends is written as it is.
    mutating func add(_ byte: UInt8, into out: inout [UInt8]) {
        guard ByteSearch.isSpace(byte) else {
            flushSpaces()
            feed(byte)
            return
        }
        if value == nil {
            out.append(byte)
        } else {
            spaces.append(byte)
            if spaces.count > Self.longestSpace { flushSpaces() }
        }
    }

    /// A byte of a CDATA section, in which nothing is escaped (XML 1.0, 2.7).
    mutating func addLiteral(_ byte: UInt8, into out: inout [UInt8]) {
        isCharacterDataOver = byte == UInt8(ascii: ">") && brackets >= 2
        if byte == UInt8(ascii: "]") {
            brackets += 1
            return
        }
        flushSpaces()
        for _ in 0..<(isCharacterDataOver ? brackets - 2 : brackets) { literal(UInt8(ascii: "]")) }
        brackets = 0
        if !isCharacterDataOver { literal(byte) }
    }

    /// Whether the last byte ended the section.
    func endsCharacterData() -> Bool { isCharacterDataOver }

    /// Writes the replacement of the text so far.
    mutating func endText(into out: inout [UInt8]) {
        if var whole = value {
            unescaper.finish(into: &whole.text)
            whole.settle()
            whole.finish(.markup, into: &out)
        }
        out.append(contentsOf: spaces)
        spaces.removeAll(keepingCapacity: true)
        (value, brackets) = (nil, 0)
    }

    private mutating func flushSpaces() {
        let between = spaces
        spaces.removeAll(keepingCapacity: true)
        for byte in between { feed(byte) }
    }

    private mutating func feed(_ byte: UInt8) {
        var whole = value ?? SecretValue(name: name, core: core)
        value = nil
        unescaper.feed(byte, into: &whole.text)
        whole.settle()
        value = whole
    }

    private mutating func literal(_ byte: UInt8) {
        var whole = value ?? SecretValue(name: name, core: core)
        value = nil
        unescaper.finish(into: &whole.text)
        whole.append(byte)
        value = whole
    }
}
