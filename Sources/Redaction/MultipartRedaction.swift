import Bytes

/// Replaces parts with secret names, and redacts the others by their own types (RFC 2046 5.1, RFC 7578).
///
/// The text before the first part and after the last one is read as a part without a type: the body may be something else
/// than its Content-Type says. Where the boundary of the Content-Type is missing or does not occur, the first line that
/// could be a delimiter is one.
struct MultipartRedaction {
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
    private var part: MultipartPart?
    private var head: [UInt8] = []
    /// A line's beginning while it may be a delimiter, and the line break before it, which then belongs to it.
    private var line: [UInt8] = []
    private var lineBreak: [UInt8] = []
    private var isAtLineStart = true

    /// - Parameter depth: how many multipart bodies this one is a part of.
    init(boundary: [UInt8], core: RedactionCore, depth: Int) {
        (self.core, self.depth) = (core, depth)
        declared = boundary.isEmpty ? [] : Array("--".utf8) + boundary
        part = MultipartPart(type: [], core: core, depth: depth)
    }

    mutating func redact(_ bytes: Span<UInt8>, into out: inout [UInt8]) {
        var index = 0
        while index < bytes.count {
            if part == nil {
                index = readHead(bytes, from: index, into: &out)
            } else if isAtLineStart {
                index = readLineStart(bytes, from: index, into: &out)
            } else {
                index = readLine(bytes, from: index, into: &out)
            }
        }
    }

    /// Ends the body, which may have been cut anywhere.
    mutating func finish(into out: inout [UInt8]) {
        if part == nil {
            writeHead(into: &out)
        } else if !beginPart(atEnd: true, into: &out) {
            flushLine(into: &out)
        }
        if part == nil { writeHead(into: &out) }
        part?.finish(into: &out)
    }

    private mutating func readLineStart(_ bytes: Span<UInt8>, from start: Int, into out: inout [UInt8]) -> Int {
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            let isOfDeclared = line.count < declared.count && byte == declared[line.count]
            let mayBelong = line.count < 2 ? byte == 0x2D : byte > 0x20 && byte < 0x7F
            guard (isOfDeclared || mayBelong) && line.count < max(declared.count, Self.longestDelimiter) else {
                isAtLineStart = false
                let isLine = byte == 0x0D || byte == 0x0A
                if !beginPart(atEnd: isLine, into: &out) { flushLine(into: &out) }
                return index
            }
            line.append(byte)
            index += 1
            if !declared.isEmpty, line.count == declared.count, line == declared {
                isAtLineStart = false
                _ = beginPart(atEnd: false, into: &out)
                return index
            }
        }
        return index
    }

    /// Begins the head of a part, if a line begins with a delimiter.
    private mutating func beginPart(atEnd: Bool, into out: inout [UInt8]) -> Bool {
        var count = 0
        if !declared.isEmpty, line.starts(with: declared) {
            count = declared.count
        } else if !found.isEmpty, line.starts(with: found) {
            count = found.count
        } else if atEnd, !hasParts, found.isEmpty, line.count > 2, line.starts(with: "--".utf8) {
            found = line
            count = line.count
        }
        guard count > 0 else { return false }
        part?.finish(into: &out)
        part = nil
        hasParts = hasParts || count == declared.count && line.starts(with: declared)
        out.append(contentsOf: lineBreak)
        out.append(contentsOf: line[..<count])
        head = Array(line[count...])
        lineBreak.removeAll(keepingCapacity: true)
        line.removeAll(keepingCapacity: true)
        return true
    }

    /// The rest of a line, its break held back.
    private mutating func readLine(_ bytes: Span<UInt8>, from start: Int, into out: inout [UInt8]) -> Int {
        if lineBreak == [0x0D] {
            guard bytes[start] == 0x0A else {
                flushLine(into: &out)
                return start
            }
            lineBreak.append(0x0A)
            isAtLineStart = true
            return start + 1
        }
        let stop = ByteSearch.byte(0x0A, in: bytes, from: start, to: bytes.count)
        let isOver = stop < bytes.count
        let hasReturn = stop > start && bytes[stop - 1] == 0x0D
        pass(bytes.extracting(start..<(hasReturn ? stop - 1 : stop)), into: &out)
        lineBreak = (hasReturn ? [0x0D] : []) + (isOver ? [0x0A] : [])
        isAtLineStart = isOver
        return isOver ? stop + 1 : stop
    }

    /// The rest of the delimiter's line and the part's fields, up to an empty line.
    private mutating func readHead(_ bytes: Span<UInt8>, from start: Int, into out: inout [UInt8]) -> Int {
        for index in start..<bytes.count {
            head.append(bytes[index])
            let isLast = head.starts(with: "--".utf8)
            if bytes[index] == 0x0A, isLast || isHeadOver {
                writeHead(into: &out)
                if isLast { part = MultipartPart(type: [], core: core, depth: depth) }
                isAtLineStart = true
                return index + 1
            }
            if head.count > Self.longestHead {
                out.append(contentsOf: head)
                head.removeAll(keepingCapacity: true)
                part = MultipartPart(hiding: core)
                isAtLineStart = false
                return index + 1
            }
        }
        return bytes.count
    }

    private var isHeadOver: Bool {
        head.hasSuffix([0x0A, 0x0A]) || head.hasSuffix([0x0A, 0x0D, 0x0A])
    }

    private mutating func writeHead(into out: inout [UInt8]) {
        head.withSpan { HeadRedaction(core: core).redactFields($0, from: 0, into: &out) }
        part = MultipartPart(head: head, core: core, depth: depth)
        head.removeAll(keepingCapacity: true)
    }

    private mutating func flushLine(into out: inout [UInt8]) {
        let text = lineBreak + line
        lineBreak.removeAll(keepingCapacity: true)
        line.removeAll(keepingCapacity: true)
        text.withSpan { pass($0, into: &out) }
    }

    private mutating func pass(_ bytes: Span<UInt8>, into out: inout [UInt8]) {
        guard bytes.count > 0 else { return }
        var taken = part
        part = nil
        taken?.redact(bytes, into: &out)
        part = taken
    }
}

extension [UInt8] {
    fileprivate func hasSuffix(_ text: [UInt8]) -> Bool { count >= text.count && suffix(text.count) == text[...] }
}
