import Bytes

/// What a body is shown as.
public enum BodyForm: String, CaseIterable, Sendable {
    case json, graphql, lines, form, parts, protobuf, text, media, hex
}

/// Content as lines for people, by its media type.
public enum BodyText {
    /// Adds lines that show the body; where it is not what its type says, as text or as bytes.
    ///
    /// - Parameter contentType: the field's value.
    /// - Parameter isCut: more of the body came than these bytes.
    /// - Parameter isCoded: content codings are still on.
    public static func render(
        _ bytes: ArraySlice<UInt8>, contentType: [UInt8]?, isCut: Bool, isCoded: Bool = false, to sink: LineSink
    ) {
        let body = Content(bytes, contentType: contentType ?? [], isCut: isCut)
        if isCoded { HexDump.render(bytes, to: sink) } else { _ = render(body, depth: 0, to: sink) }
    }

    /// - Parameter call: the gRPC call whose messages it has.
    @discardableResult
    static func render(_ body: Content, depth: Int, _ call: CallMessages? = nil, to sink: LineSink) -> BodyForm {
        guard !body.bytes.isEmpty else { return .text }
        let form: BodyForm? =
            switch body.kind {
            case .json: json(body, to: sink)
            case .jsonLines: lines(body, to: sink) ? .lines : nil
            case .form: FormText.render(body, to: sink) ? .form : nil
            case .multipart: MultipartText.render(body, depth: depth, to: sink) ? .parts : nil
            case .protobuf: ProtobufText.render(body.bytes, isCut: body.isCut, to: sink) ? .protobuf : nil
            case .grpc: GRPCText.render(body, call, to: sink) ? .protobuf : nil
            case .text where body.essence == "application/graphql" && body.isPlain && !body.isCut:
                graphQL(body, to: sink) ? .graphql : nil
            case .text: body.isLegible && text(body, to: sink) ? .text : nil
            case .media: media(body, to: sink) ? .media : nil
            case .unknown: unknown(body, to: sink)
            }
        if let form { return form }
        if body.isPlain, text(body, to: sink) { return .text }
        HexDump.render(body.bytes, to: sink)
        return .hex
    }

    private static func json(_ body: Content, to sink: LineSink) -> BodyForm? {
        if GraphQLText.render(body, to: sink) { return .graphql }
        return JSONLayout.render(body.bytes, isCut: body.isCut, to: sink) ? .json : nil
    }

    private static func text(_ body: Content, to sink: LineSink) -> Bool {
        var rest = body.isLatin1 ? utf8(latin1: body.bytes)[...] : body.bytes
        while !rest.isEmpty, !sink.isOver {
            let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
            let line = rest[..<end]
            sink.add(bytes: line.last == 0x0D ? line.dropLast() : line)
            rest = rest[min(end + 1, rest.endIndex)...]
        }
        return true
    }

    private static func graphQL(_ body: Content, to sink: LineSink) -> Bool {
        GraphQLText.render(document: String(decoding: body.bytes, as: UTF8.self), to: sink)
        return true
    }

    private static func utf8(latin1 bytes: ArraySlice<UInt8>) -> [UInt8] {
        bytes.flatMap { $0 < 0x80 ? [$0] : [0xC0 | $0 >> 6, 0x80 | $0 & 0x3F] }
    }

    /// A value in each line, or behind each record separator (RFC 7464).
    private static func lines(_ body: Content, to sink: LineSink) -> Bool {
        guard body.isLegible else { return false }
        var rest = body.bytes
        while !rest.isEmpty, !sink.isOver {
            let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
            let line = rest[..<end].drop { $0 == 0x1E }
            rest = rest[min(end + 1, rest.endIndex)...]
            let isLastCut = rest.isEmpty && body.isCut
            if !JSONLayout.render(line, isCut: isLastCut, to: sink) {
                sink.add(bytes: line.last == 0x0D ? line.dropLast() : line)
            }
        }
        return true
    }

    private static func media(_ body: Content, to sink: LineSink) -> Bool {
        let size = LogQuantity.size(UInt64(body.bytes.count)) + (body.isCut ? " of more" : "")
        let image = ImageSize(body.bytes)
        let extent = image.map { ", \($0.format) of \($0.width) × \($0.height)" } ?? ""
        sink.add("\(body.essence)\(extent), \(size)")
        return true
    }

    /// Nothing is said of it, or not enough.
    private static func unknown(_ body: Content, to sink: LineSink) -> BodyForm? {
        if let image = ImageSize(body.bytes) {
            let size = LogQuantity.size(UInt64(body.bytes.count))
            sink.add("\(image.format) of \(image.width) × \(image.height), \(size)")
            return .media
        }
        guard body.isPlain, let first = body.bytes.first(where: { !ByteSearch.isSpace($0) }) else { return nil }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? json(body, to: sink) : nil
    }
}
