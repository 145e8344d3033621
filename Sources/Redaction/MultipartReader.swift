import Bytes

/// Replaces parts with secret names, and redacts the others by their own types (RFC 2046 5.1, RFC 7578).
///
/// The text before the first part and after the last one is read as a part without a type: the body may be something else
/// than its Content-Type says. Where the boundary of the Content-Type is missing or does not occur, the first line that
/// could be a delimiter is one.
struct MultipartReader: FormatReader {
    private static let longestHead = 16_384
    private static let longestDelimiter = 74

    private let core: RedactionCore
    private let depth: Int
    /// Two hyphens and the boundary; empty when the Content-Type names none.
    private let declared: [UInt8]
    /// The delimiter that the body itself shows.
    private var found: [UInt8] = []
    private var hasParts = false
    /// The part that is being read; nil within its head.
    private var part: BodyRedaction?
    private var isAtStart = true

    /// - Parameter depth: how many multipart bodies this one is a part of.
    init(boundary: [UInt8], core: RedactionCore, depth: Int) {
        (self.core, self.depth) = (core, depth)
        declared = boundary.isEmpty ? [] : Array("--".utf8) + boundary
        part = BodyRedaction(contentType: [], core: core, depth: depth + 1)
    }

    mutating func read(_ bytes: Span<UInt8>, from start: Int, isLast: Bool, into out: inout [UInt8]) -> Int {
        var index = start
        while index < bytes.count || part == nil {
            if part == nil {
                guard let end = readHead(bytes, from: index, isLast, into: &out) else { return index }
                index = end
                isAtStart = true
                continue
            }
            guard let end = readPart(bytes, from: index, isLast, into: &out) else { break }
            index = end.next
            guard end.isOver else { return index }
        }
        if isLast { finishPart(into: &out) }
        return bytes.count
    }

    /// Reads on up to the next delimiter, or as far as none can begin; nil if all is read.
    private mutating func readPart(
        _ bytes: Span<UInt8>, from start: Int, _ isLast: Bool, into out: inout [UInt8]
    ) -> (next: Int, isOver: Bool)? {
        var (line, text) = (start, start)
        // The line break in front of a delimiter belongs to it.
        if !isAtStart {
            text = ByteSearch.byte(0x0A, in: bytes, from: start, to: bytes.count)
            line = min(text + 1, bytes.count)
            if text > start, bytes[text - 1] == 0x0D { text -= 1 }
        }
        while true {
            guard line < bytes.count || isAtStart else { break }
            guard let count = delimiter(bytes, from: line, isLast) else {
                pass(bytes.extracting(start..<text), into: &out)
                isAtStart = isAtStart && text == start && line == start
                return (text, false)
            }
            if count > 0 {
                pass(bytes.extracting(start..<text), into: &out)
                finishPart(into: &out)
                part = nil
                out.append(bytes, text..<line + count)
                return (line + count, true)
            }
            isAtStart = false
            text = ByteSearch.byte(0x0A, in: bytes, from: line, to: bytes.count)
            line = min(text + 1, bytes.count)
            if text > 0, text < bytes.count || !isLast, bytes[text - 1] == 0x0D, text > start { text -= 1 }
        }
        let end = isLast ? bytes.count : text
        pass(bytes.extracting(start..<end), into: &out)
        isAtStart = false
        return end == bytes.count ? nil : (end, false)
    }

    /// The length of the delimiter that a line begins with, 0 for others; nil if the line is not complete.
    private mutating func delimiter(_ bytes: Span<UInt8>, from start: Int, _ isLast: Bool) -> Int? {
        let longest = max(declared.count, Self.longestDelimiter)
        if begins(bytes, start, with: declared) {
            hasParts = true
            return declared.count
        }
        var end = start
        while end < bytes.count, end - start < longest {
            let mayBelong = end - start < 2 ? bytes[end] == 0x2D : bytes[end] > 0x20 && bytes[end] < 0x7F
            let isOfDeclared =
                end - start < declared.count && begins(bytes, start, with: declared.prefix(end - start + 1))
            guard mayBelong || isOfDeclared else { break }
            end += 1
        }
        if end == bytes.count, !isLast { return nil }
        if begins(bytes, start, with: found) { return found.count }
        let isLine = end == bytes.count || bytes[end] == 0x0D || bytes[end] == 0x0A
        guard isLine, !hasParts, found.isEmpty, end - start > 2, begins(bytes, start, with: Array("--".utf8)) else {
            return 0
        }
        found = bytes.extracting(start..<end).withUnsafeBytes { Array($0) }
        return found.count
    }

    private func begins(_ bytes: Span<UInt8>, _ start: Int, with text: some RandomAccessCollection<UInt8>) -> Bool {
        guard !text.isEmpty, start + text.count <= bytes.count else { return false }
        return zip(start..., text).allSatisfy { bytes[$0] == $1 }
    }

    /// The rest of the delimiter's line and the part's fields, up to an empty line; nil if that has not come.
    private mutating func readHead(
        _ bytes: Span<UInt8>, from start: Int, _ isLast: Bool, into out: inout [UInt8]
    ) -> Int? {
        let isEnd = start + 1 < bytes.count && bytes[start] == 0x2D && bytes[start + 1] == 0x2D
        var end = start
        repeat {
            end = ByteSearch.byte(0x0A, in: bytes, from: end, to: min(bytes.count, start + Self.longestHead)) + 1
        } while !isEnd && end <= min(bytes.count, start + Self.longestHead) && !endsHead(bytes, start, end)
        if end > start + Self.longestHead, !isEnd {
            // Fields that are too long to be read: all of the part is hidden.
            end = start + Self.longestHead
            out.append(bytes, start..<end)
            part = BodyRedaction(secret: Array("part".utf8), core: core)
            return end
        }
        guard end <= bytes.count || isLast else { return nil }
        end = min(end, bytes.count)
        let head = bytes.extracting(start..<end)
        HeadRedaction(core: core).redactFields(head, from: 0, into: &out)
        part = isEnd ? BodyRedaction(contentType: [], core: core, depth: depth + 1) : part(of: head)
        return end
    }

    private func endsHead(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
        guard end - start > 1 else { return false }
        return bytes[end - 2] == 0x0A || end - start > 2 && bytes[end - 2] == 0x0D && bytes[end - 3] == 0x0A
    }

    /// A part by its fields.
    private func part(of head: Span<UInt8>) -> BodyRedaction {
        var (partName, type): ([UInt8], [UInt8]) = ([], Array("text/plain".utf8))
        var beginsInside = false
        var start = 0
        while start < head.count {
            let end = ByteSearch.byte(0x0A, in: head, from: start, to: head.count)
            let colon = ByteSearch.byte(UInt8(ascii: ":"), in: head, from: start, to: end)
            let field = head.extracting(head.trimmed(start..<colon))
            let value = colon < end ? head.extracting(colon + 1..<end).withUnsafeBytes { Array($0) } : []
            if field.spells("content-disposition") {
                partName = Self.name(MediaType.parameters(of: value))
            } else if field.spells("content-type") {
                type = value
            } else if field.spells("content-range") {
                beginsInside = beginsInside || PartialBody.beginsInside(contentRange: value)
            }
            start = end + 1
        }
        if core.names.contains(partName, in: .parameter) { return BodyRedaction(secret: partName, core: core) }
        return BodyRedaction(contentType: beginsInside ? type + PartialBody.mark : type, core: core, depth: depth + 1)
    }

    /// The name of a part; `name*` (RFC 5987) goes before it, as any part of it may be escaped.
    private static func name(_ parameters: [(name: String, value: [UInt8])]) -> [UInt8] {
        guard let extended = parameters.first(where: { $0.name.hasPrefix("name*") })?.value else {
            return parameters.first { $0.name == "name" }?.value ?? []
        }
        let text = extended.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        return TextEncoding.form.plain(Array(text.last ?? []))
    }

    private mutating func pass(_ bytes: Span<UInt8>, into out: inout [UInt8]) { part?.redact(bytes, into: &out) }

    private mutating func finishPart(into out: inout [UInt8]) {
        part?.finish(into: &out)
        part = nil
    }
}
