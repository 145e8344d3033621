import Bytes
import Filter

/// The lines of a recorded head as places in it, so that only the texts that are needed are made.
package struct HeadLines {
    struct Field {
        let name: Range<Int>
        /// Without blanks around it.
        let value: Range<Int>
    }

    let bytes: [UInt8]
    /// Empty in a trailer section, and in a request as it was sent in HTTP/2.
    private(set) var startLine = 0..<0
    private(set) var fields: [Field] = []

    /// Reads a head that may be broken in any way; lines that are no fields are left out.
    package init(_ bytes: [UInt8], isTrailer: Bool = false) {
        self.bytes = bytes
        var startLine: Range<Int>? = isTrailer || SentFields.begin(bytes) ? 0..<0 : nil
        var fields: [Field] = []
        bytes.withSpan { span in
            var start = 0
            while start < span.count {
                let next = ByteSearch.byte(0x0A, in: span, from: start, to: span.count)
                let end = next > start && span[next - 1] == 0x0D ? next - 1 : next
                if startLine == nil {
                    startLine = start..<end
                } else if end > start, let field = Self.field(span, start..<end) {
                    fields.append(field)
                }
                start = next + 1
            }
        }
        (self.startLine, self.fields) = (startLine ?? 0..<0, fields)
    }

    private static func field(_ span: Span<UInt8>, _ line: Range<Int>) -> Field? {
        // The names of pseudo-header fields begin with a colon.
        let colon = ByteSearch.byte(UInt8(ascii: ":"), in: span, from: line.lowerBound + 1, to: line.upperBound)
        guard colon < line.upperBound else { return nil }
        var (start, end) = (colon + 1, line.upperBound)
        while start < end, ByteSearch.isBlank(span[start]) { start += 1 }
        while end > start, ByteSearch.isBlank(span[end - 1]) { end -= 1 }
        return Field(name: line.lowerBound..<colon, value: start..<end)
    }

    func text(_ place: Range<Int>) -> String { HeadText.text(bytes[place]) }

    /// - Parameter name: in small letters.
    func values(of name: StaticString) -> [String] { fields.filter { isNamed($0, name) }.map { text($0.value) } }

    /// - Parameter name: in small letters.
    func value(of name: StaticString) -> String? { fields.first { isNamed($0, name) }.map { text($0.value) } }

    func isNamed(_ field: Field, _ name: StaticString) -> Bool {
        field.name.count == name.utf8CodeUnitCount && bytes.withSpan { $0.extracting(field.name).spells(name) }
    }

    /// The words of a status line: version, status, reason.
    var statusLine: (version: String, reason: String) {
        let words = text(startLine).split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        return (words.first.map(String.init) ?? "", words.count > 2 ? String(words[2]) : "")
    }
}
