public import Store

extension TrafficRecord {
    /// The media type in a body's head; nil without one.
    public func contentType(_ side: BodySide) -> [UInt8]? {
        let heads = side == .request ? [clientRequest, originRequest] : [originResponse, clientResponse]
        for head in heads {
            if let head, let type = HeadFields(head[...]).contentType { return type }
        }
        return nil
    }

    public func body(_ side: BodySide) -> Body { side == .request ? requestBody : responseBody }
}

extension TrafficReader {
    /// The bytes of a body that are held to show it.
    public static let shownBytes = 16 << 20

    /// A body's bytes, or its first ``shownBytes``.
    public func body(of id: Int64, _ side: BodySide) throws(StoreFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        try body(of: id, side) { piece in
            bytes += piece.prefix(Self.shownBytes - bytes.count)
            return bytes.count < Self.shownBytes
        }
        return bytes
    }

    /// Adds lines that show a body by its type.
    public func render(_ record: TrafficRecord, _ side: BodySide, to sink: LineSink) throws(StoreFailure) {
        let body = record.body(side)
        let bytes = try self.body(of: record.summary.id, side)
        BodyText.render(
            bytes[...], contentType: record.contentType(side),
            isCut: body.isCut || body.isDropped || bytes.count < body.kept, isCoded: body.isUndecodable, to: sink)
    }
}
