import Bytes
import JSON
import Store

/// Writes a recorded body as the value of a member, piece by piece.
struct BodyWriter {
    let reader: TrafficReader
    let record: TrafficRecord
    let side: BodySide
    let end: BodyEnd
    /// Of what is kept; more may come meanwhile.
    let scan: BodyScan
    /// All of it, if that is one piece.
    private let only: [UInt8]?

    init(
        _ reader: TrafficReader, _ record: TrafficRecord, _ side: BodySide, _ end: BodyEnd = .client
    ) throws(ExportFailure) {
        var scan = BodyScan()
        var first: [UInt8] = []
        try stored { () throws(StoreFailure) in
            try reader.body(of: record, side, end) { piece in
                if scan.count == 0 { first = piece }
                scan.read(piece)
                return true
            }
        }
        scan.finish()
        (self.reader, self.record, self.side, self.end, self.scan) = (reader, record, side, end, scan)
        only = first.count == scan.count ? first : nil
    }

    /// Nothing of it is written before the entry that it is in.
    var staysWithEntry: Bool { scan.count == 0 || only != nil && scan.isText }

    /// Writes the member's name and a string: the text, or Base64 for binary bytes.
    func write(_ name: String, to output: ExportOutput) throws(ExportFailure) {
        if let only, scan.isText {
            output.json.key(name)
            return only.withSpan { output.json.value(utf8: $0) }
        }
        output.json.key(name)
        output.json.raw(CollectionOfOne(UInt8(ascii: "\"")))
        var encoder = StringEncoder(isText: scan.isText)
        var failure: ExportFailure?
        var left = Int(clamping: scan.count)
        try stored { () throws(StoreFailure) in
            try reader.body(of: record, side, end) { piece in
                let known = piece.prefix(left)
                left -= known.count
                do throws(ExportFailure) {
                    try output.append(encoder.encode(known))
                    return left > 0
                } catch {
                    failure = error
                    return false
                }
            }
        }
        if let failure { throw failure }
        try output.append(encoder.finish() + [UInt8(ascii: "\"")])
    }

    /// All of it, if that is not more than so many bytes.
    func whole(limit: Int) throws(ExportFailure) -> [UInt8]? {
        guard scan.count <= Int64(limit) else { return nil }
        if let only { return only }
        var bytes: [UInt8] = []
        try stored { () throws(StoreFailure) in
            try reader.body(of: record, side, end) { piece in
                bytes += piece
                return bytes.count <= limit
            }
        }
        return bytes.count <= limit ? bytes : nil
    }
}

/// The inside of a JSON string, from bytes that come in pieces.
private struct StringEncoder {
    let isText: Bool
    private var base64 = Base64Encoder()
    private var held: [UInt8] = []

    init(isText: Bool) { self.isText = isText }

    mutating func encode(_ piece: ArraySlice<UInt8>) -> [UInt8] {
        guard isText else { return base64.encode(piece) }
        let bytes = held + piece
        let end = BodyScan.completePrefix(bytes)
        held = Array(bytes[end...])
        return Self.escaped(bytes[..<end])
    }

    mutating func finish() -> [UInt8] { isText ? Self.escaped(held[...]) : base64.finish() }

    private static func escaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        return Array(JSONWriter.bytes(of: String(decoding: bytes, as: UTF8.self)).dropFirst().dropLast())
    }
}
