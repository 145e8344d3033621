public import Store

extension TrafficRecord {
    /// The media type in a body's head; nil without one.
    public func contentType(_ side: BodySide, _ end: BodyEnd = .client) -> [UInt8]? {
        let heads = heads(side, end)
        for head in heads {
            if let head, let type = HeadFields(head[...]).contentType { return type }
        }
        return nil
    }

    /// The heads of one side, that of the body's own end first.
    func heads(_ side: BodySide, _ end: BodyEnd) -> [[UInt8]?] {
        let heads = side == .request ? [clientRequest, originRequest] : [clientResponse, originResponse]
        return end == .client ? heads : heads.reversed()
    }
}

extension TrafficReader {
    /// The bytes of a body that are held to show it.
    public static let shownBytes = 16 << 20

    /// A body's bytes, or its first ``shownBytes``.
    public func body(
        of record: TrafficRecord, _ side: BodySide, _ end: BodyEnd = .client
    ) throws(StoreFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        try body(of: record, side, end) { piece in
            bytes += piece.prefix(Self.shownBytes - bytes.count)
            return bytes.count < Self.shownBytes
        }
        return bytes
    }

    /// Adds lines that show a body by its type.
    public func render(
        _ record: TrafficRecord, _ side: BodySide, _ end: BodyEnd = .client, calls: CallSchemas = .none,
        to sink: LineSink
    ) throws(StoreFailure) {
        let body = record.body(side, end)
        let bytes = try self.body(of: record, side, end)
        let call = try calls.messages(of: record, side, end, self)
        let isCut = body.isCut || body.isDropped || bytes.count < body.kept
        if body.isUndecodable {
            HexDump.render(bytes[...], to: sink)
        } else {
            let content = Content(bytes[...], contentType: record.contentType(side, end) ?? [], isCut: isCut)
            BodyText.render(content, depth: 0, call, to: sink)
        }
    }
}

extension TrafficReader {
    /// Lines of each body that are compared, and characters of each.
    private static let (comparedLines, comparedWidth) = (20_000, 4000)

    /// What Shunt changed in a body on its way, in the lines that show it; nil where it changed nothing.
    public func changes(_ record: TrafficRecord, _ side: BodySide) throws(StoreFailure) -> LineDifference? {
        guard record.hasChanged(side) else { return nil }
        func lines(_ end: BodyEnd) throws(StoreFailure) -> [String] {
            var lines: [String] = []
            try render(
                record, side, end,
                to: LineSink(limit: Self.comparedLines, width: Self.comparedWidth) { lines.append($0) })
            return lines
        }
        let (client, origin) = (try lines(.client), try lines(.origin))
        // In another form, as calls of pages are, it may say the same.
        if client == origin, record.contentType(side) != record.contentType(side, .origin) { return nil }
        return side == .request
            ? LineDifference(from: client, to: origin) : LineDifference(from: origin, to: client)
    }
}
