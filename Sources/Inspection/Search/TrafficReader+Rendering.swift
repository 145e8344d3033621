import Bytes
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

    /// Adds lines that show a body by its type, and says as what.
    @discardableResult
    public func render(
        _ record: TrafficRecord, _ side: BodySide, _ end: BodyEnd = .client, calls: CallSchemas = .none,
        to sink: LineSink
    ) throws(StoreFailure) -> BodyForm {
        let body = record.body(side, end)
        let bytes = try self.body(of: record, side, end)
        let call = try calls.messages(of: record, side, end, self)
        let isCut = body.isCut || body.isDropped || bytes.count < body.kept
        if body.isUndecodable {
            HexDump.render(bytes[...], to: sink)
            return .hex
        }
        let content = Content(bytes[...], contentType: record.contentType(side, end) ?? [], isCut: isCut)
        return BodyText.render(content, depth: 0, call, to: sink)
    }

    /// Adds lines that show the bytes of a body, whatever its size, but for the first lines.
    public func dump(_ id: Int64, _ side: BodySide, from line: Int, to sink: LineSink) throws(StoreFailure) {
        let start = line.multipliedReportingOverflow(by: 16)
        var (place, shown) = (0, start.overflow ? Int.max : start.partialValue)
        var rest: [UInt8] = []
        try body(of: id, side) { piece in
            rest += piece.dropFirst(max(0, min(piece.count, shown - place)))
            place += piece.count
            let whole = rest.count & ~15
            HexDump.render(rest[..<whole], from: shown, to: sink)
            rest.removeFirst(whole)
            shown += whole
            return !sink.isOver
        }
        HexDump.render(rest[...], from: shown, to: sink)
    }

    /// The lines that differ between two exchanges, part by part; nil for parts that neither has.
    public func differences(
        _ old: TrafficRecord, _ new: TrafficRecord, calls: CallSchemas
    ) throws(StoreFailure) -> [(name: String, difference: LineDifference?)] {
        var found: [(name: String, difference: LineDifference?)] = []
        func add(_ name: String, _ lines: [[String]]) {
            let isThere = lines.contains { !$0.isEmpty }
            found.append((name, isThere ? LineDifference(from: lines[0], to: lines[1]) : nil))
        }
        for (name, side) in [("request", BodySide.request), ("response", .response)] {
            add("\(name)_fields", [old, new].map { Self.fields($0.heads(side, .client)[0]) })
            var bodies: [[String]] = []
            for record in [old, new] { bodies.append(try lines(record, side, .client, calls)) }
            add("\(name)_body", bodies)
        }
        return found
    }

    /// The order of fields with different names has no meaning (RFC 9110 5.3).
    private static func fields(_ head: [UInt8]?) -> [String] {
        let fields = head.map { HeadText($0).fields } ?? []
        let named = fields.filter { !$0.name.hasPrefix(":") }.map { ($0.name.lowercased(), $0.value) }
        return named.enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }.map {
            PlainText.line(Array("\($0.element.0): \($0.element.1)".utf8))
        }
    }
}

extension TrafficReader {
    /// Lines of each body that are compared, and characters of each.
    private static let (comparedLines, comparedWidth) = (20_000, 4000)

    private func lines(
        _ record: TrafficRecord, _ side: BodySide, _ end: BodyEnd, _ calls: CallSchemas = .none
    ) throws(StoreFailure) -> [String] {
        var lines: [String] = []
        try render(
            record, side, end, calls: calls,
            to: LineSink(limit: Self.comparedLines, width: Self.comparedWidth) { lines.append($0) })
        return lines
    }

    /// What Shunt changed in a body on its way, in the lines that show it; nil where it changed nothing.
    public func changes(_ record: TrafficRecord, _ side: BodySide) throws(StoreFailure) -> LineDifference? {
        guard record.hasChanged(side) else { return nil }
        let (client, origin) = (try lines(record, side, .client), try lines(record, side, .origin))
        // In another form, as calls of pages are, it may say the same.
        if client == origin, record.contentType(side) != record.contentType(side, .origin) { return nil }
        return side == .request ? LineDifference(from: client, to: origin) : LineDifference(from: origin, to: client)
    }
}
