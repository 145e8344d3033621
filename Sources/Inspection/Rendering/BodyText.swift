import Bytes

/// Content as lines for people, by its media type.
public enum BodyText {
    /// How deep parts may lie in parts.
    static let depthLimit = 4

    /// Adds lines that show the body; where it is not what its type says, as text or as bytes.
    ///
    /// - Parameter contentType: the field's value.
    /// - Parameter isCut: more of the body came than these bytes.
    /// - Parameter isCoded: content codings are still on.
    public static func render(
        _ bytes: ArraySlice<UInt8>, contentType: [UInt8]?, isCut: Bool, isCoded: Bool = false, to sink: LineSink
    ) {
        let content = Content(bytes, contentType: contentType ?? [], isCut: isCut)
        if isCoded { HexDump.render(bytes, to: sink) } else { render(content, depth: 0, to: sink) }
    }

    static func render(_ content: Content, depth: Int, to sink: LineSink) {
        guard !content.bytes.isEmpty else { return }
        let isShown =
            switch content.kind {
            case .json: JSONLayout.render(content.bytes, isCut: content.isCut, to: sink)
            case .jsonLines: lines(content, to: sink)
            case .form: FormText.render(content, to: sink)
            case .multipart: MultipartText.render(content, depth: depth, to: sink)
            case .protobuf: ProtobufText.render(content.bytes, isCut: content.isCut, to: sink)
            case .grpc: GRPCText.render(content, to: sink)
            case .text: content.isLegible && text(content, to: sink)
            case .media: media(content, to: sink)
            case .unknown: unknown(content, to: sink)
            }
        if isShown { return }
        if !content.isPlain || !text(content, to: sink) { HexDump.render(content.bytes, to: sink) }
    }

    private static func text(_ content: Content, to sink: LineSink) -> Bool {
        var rest = content.isLatin1 ? utf8(latin1: content.bytes)[...] : content.bytes
        while !rest.isEmpty, !sink.isOver {
            let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
            let line = rest[..<end]
            sink.add(bytes: line.last == 0x0D ? line.dropLast() : line)
            rest = rest[min(end + 1, rest.endIndex)...]
        }
        return true
    }

    private static func utf8(latin1 bytes: ArraySlice<UInt8>) -> [UInt8] {
        bytes.flatMap { $0 < 0x80 ? [$0] : [0xC0 | $0 >> 6, 0x80 | $0 & 0x3F] }
    }

    /// A value in each line, or behind each record separator (RFC 7464).
    private static func lines(_ content: Content, to sink: LineSink) -> Bool {
        guard content.isLegible else { return false }
        var rest = content.bytes
        while !rest.isEmpty, !sink.isOver {
            let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
            let line = rest[..<end].drop { $0 == 0x1E }
            rest = rest[min(end + 1, rest.endIndex)...]
            let isLastCut = rest.isEmpty && content.isCut
            if !JSONLayout.render(line, isCut: isLastCut, to: sink) {
                sink.add(bytes: line.last == 0x0D ? line.dropLast() : line)
            }
        }
        return true
    }

    private static func media(_ content: Content, to sink: LineSink) -> Bool {
        let size = LogQuantity.size(UInt64(content.bytes.count)) + (content.isCut ? " of more" : "")
        let image = ImageSize(content.bytes)
        let extent = image.map { ", \($0.format) of \($0.width) × \($0.height)" } ?? ""
        sink.add("\(content.essence)\(extent), \(size)")
        return true
    }

    /// Nothing is said of it, or not enough.
    private static func unknown(_ content: Content, to sink: LineSink) -> Bool {
        if let image = ImageSize(content.bytes) {
            let size = LogQuantity.size(UInt64(content.bytes.count))
            sink.add("\(image.format) of \(image.width) × \(image.height), \(size)")
            return true
        }
        guard content.isPlain, let first = content.bytes.first(where: { !ByteSearch.isSpace($0) }) else { return false }
        let isOpen = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        return isOpen && JSONLayout.render(content.bytes, isCut: content.isCut, to: sink)
    }
}
