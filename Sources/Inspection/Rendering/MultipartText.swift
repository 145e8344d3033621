import Bytes
import JSON
import Redaction
import Store

/// A multipart body part by part, each with its fields and by its own type (RFC 2046 5.1).
enum MultipartText {
    static func render(_ body: Content, depth: Int, to sink: LineSink) -> Bool {
        let boundary = MediaType.boundary(of: body.contentType)
        guard !boundary.isEmpty, depth < NestingLimit.bodies else { return false }
        let delimiter = Array("--".utf8) + boundary
        guard var start = next(delimiter, in: body.bytes, from: body.bytes.startIndex) else { return false }
        var number = 0
        while !sink.isOver, !start.isLast {
            number += 1
            let end = next(delimiter, in: body.bytes, from: start.behind)
            // The line break in front of a delimiter belongs to it.
            let part = body.bytes[start.behind..<(end?.place ?? body.bytes.endIndex)]
            sink.add("part \(number)" + (end == nil ? " (cut)" : ""))
            sink.indented { render(part: part, isCut: end == nil, depth, sink) }
            guard let end else { return true }
            start = end
        }
        return true
    }

    private static func render(part: ArraySlice<UInt8>, isCut: Bool, _ depth: Int, _ sink: LineSink) {
        var rest = part
        var type: [UInt8] = Array("text/plain".utf8)
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
            var line = rest[..<end]
            rest = rest[min(end + 1, rest.endIndex)...]
            if line.last == 0x0D { line.removeLast() }
            if line.isEmpty { break }
            sink.add(bytes: line)
            type = HeadFields(line).contentType ?? type
        }
        // No space between fields and content: lines are many enough.
        sink.indented {
            BodyText.render(Content(rest, contentType: type, isCut: isCut), depth: depth + 1, to: sink)
        }
    }

    /// A line with the delimiter.
    private struct Delimiter {
        /// Where it starts, with the line break in front of it.
        let place: Int
        /// Where the next line starts.
        let behind: Int
        /// Nothing but an epilogue follows.
        let isLast: Bool
    }

    private static func next(_ delimiter: [UInt8], in bytes: ArraySlice<UInt8>, from start: Int) -> Delimiter? {
        var at = start
        while at < bytes.endIndex {
            let rest = bytes[at...]
            if rest.starts(with: delimiter) {
                let end = rest.firstIndex(of: 0x0A) ?? bytes.endIndex
                let tail = bytes[(at + delimiter.count)..<end]
                let isLast = tail.starts(with: "--".utf8)
                if isLast || tail.allSatisfy(HeadFields.isSpace) {
                    var place = at
                    if place > start { place -= 1 }
                    if place > start, bytes[place - 1] == 0x0D { place -= 1 }
                    return Delimiter(place: place, behind: min(end + 1, bytes.endIndex), isLast: isLast)
                }
            }
            guard let line = rest.firstIndex(of: 0x0A) else { return nil }
            at = line + 1
        }
        return nil
    }
}
