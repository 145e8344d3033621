import Bytes

/// One tag of XML or HTML, from `<` to `>`, or its beginning.
struct MarkupTag {
    struct Attribute {
        let name: Range<Int>
        /// Without quotes.
        let value: Range<Int>
    }

    /// The name as it is written, with its prefix.
    private(set) var name = 0..<0
    private(set) var attributes: [Attribute] = []
    private(set) var isEnd = false
    /// `<a/>`, which has no content.
    private(set) var isEmpty = false

    init(_ bytes: Span<UInt8>) {
        var index = 1
        if index < bytes.count, bytes[index] == UInt8(ascii: "/") {
            isEnd = true
            index += 1
        }
        name = Self.word(bytes, from: index)
        index = name.upperBound
        while index < bytes.count {
            let attribute = Self.word(bytes, from: index)
            if attribute.isEmpty {
                if bytes[index] == UInt8(ascii: "/"), index + 2 == bytes.count { isEmpty = true }
                index += 1
                continue
            }
            index = Self.space(bytes, from: attribute.upperBound)
            guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else { continue }
            let value = Self.value(bytes, from: Self.space(bytes, from: index + 1))
            attributes.append(Attribute(name: attribute, value: value))
            index = value.upperBound
        }
    }

    /// A name without the prefix of its namespace.
    static func local(_ name: Range<Int>, of bytes: Span<UInt8>) -> Range<Int> {
        var start = name.upperBound
        while start > name.lowerBound, bytes[start - 1] != UInt8(ascii: ":") { start -= 1 }
        return start..<name.upperBound
    }

    private static func word(_ bytes: Span<UInt8>, from start: Int) -> Range<Int> {
        var end = start
        while end < bytes.count, !ByteSearch.isSpace(bytes[end]), !bytes[end].isOne(of: "=/>\"'<") { end += 1 }
        return start..<end
    }

    private static func space(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < bytes.count, ByteSearch.isSpace(bytes[index]) { index += 1 }
        return index
    }

    private static func value(_ bytes: Span<UInt8>, from start: Int) -> Range<Int> {
        guard start < bytes.count else { return start..<start }
        let quote = bytes[start]
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            return start + 1..<ByteSearch.byte(quote, in: bytes, from: start + 1, to: bytes.count)
        }
        var end = start
        while end < bytes.count, !ByteSearch.isSpace(bytes[end]), bytes[end] != UInt8(ascii: ">") { end += 1 }
        return start..<end
    }
}
