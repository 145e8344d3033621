import Bytes

/// Replaces parts with secret names, and redacts the others by their own types (RFC 2046 5.1, RFC 7578).
struct MultipartRedaction {
    private enum Mode {
        /// The text before the first part and after the last one.
        case outside
        case head
        case part(MultipartPart)
    }

    private static let longestHead = 16_384

    private let core: RedactionCore
    /// Two hyphens and the boundary; empty when the Content-Type names none.
    private var delimiter: [UInt8]
    private var mode = Mode.outside
    private var head: [UInt8] = []
    /// A line's beginning while it may be a delimiter, and the line break before it, which then belongs to it.
    private var line: [UInt8] = []
    private var lineBreak: [UInt8] = []
    private var isAtLineStart = true

    init(boundary: [UInt8], core: RedactionCore) {
        self.core = core
        delimiter = boundary.isEmpty ? [] : Array("--".utf8) + boundary
    }

    mutating func redact(_ bytes: Span<UInt8>, into out: inout [UInt8]) {
        var index = 0
        while index < bytes.count {
            if case .head = mode {
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
        flushLine(into: &out)
        switch mode {
        case .outside: break
        case .head: writeHead(into: &out)
        case .part(var part): part.finish(into: &out)
        }
        mode = .outside
    }

    private mutating func readLineStart(_ bytes: Span<UInt8>, from start: Int, into out: inout [UInt8]) -> Int {
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if delimiter.isEmpty {
                // Without a boundary the first line that could be one is taken for it.
                if line.count < 2 ? byte == 0x2D : (byte > 0x20 && byte < 0x7F && line.count < 74) {
                    line.append(byte)
                    index += 1
                    continue
                }
                if line.count > 2, byte == 0x0D || byte == 0x0A { delimiter = line }
            }
            if line.count < delimiter.count, byte == delimiter[line.count] {
                line.append(byte)
                index += 1
                if line.count < delimiter.count { continue }
            }
            isAtLineStart = false
            guard !delimiter.isEmpty, line.count == delimiter.count else {
                flushLine(into: &out)
                return index
            }
            if case .part(var part) = mode { part.finish(into: &out) }
            out.append(contentsOf: lineBreak)
            out.append(contentsOf: line)
            lineBreak.removeAll(keepingCapacity: true)
            line.removeAll(keepingCapacity: true)
            head.removeAll(keepingCapacity: true)
            mode = .head
            return index
        }
        return index
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
            if bytes[index] == 0x0A {
                if head.starts(with: "--".utf8) || isHeadOver {
                    let isLast = head.starts(with: "--".utf8)
                    writeHead(into: &out)
                    mode = isLast ? .outside : mode
                    isAtLineStart = true
                    return index + 1
                }
            }
            if head.count > Self.longestHead {
                out.append(contentsOf: head)
                mode = .part(MultipartPart(hiding: core))
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
        mode = .part(MultipartPart(head: head, core: core))
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
        guard case .part(var part) = mode else {
            out.append(bytes, 0..<bytes.count)
            return
        }
        mode = .outside
        part.redact(bytes, into: &out)
        mode = .part(part)
    }
}

extension [UInt8] {
    fileprivate func hasSuffix(_ text: [UInt8]) -> Bool { count >= text.count && suffix(text.count) == text[...] }
}
