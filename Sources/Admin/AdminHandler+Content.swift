import Engine
import Filter
import Inspection
import Store

// Recorded traffic as bytes: bodies, and exports.
extension AdminHandler {
    func sendBody(_ call: AdminCall, _ side: BodySide) async throws -> HandledResponse {
        let id = try call.identity()
        let desk = try desk()
        let found = try await desk.read { reader in
            try reader.record(id).map { ($0.body(side).kept, Self.mediaType($0.contentType(side))) }
        }
        guard let (kept, type) = found else { throw AdminRefusal.noExchange(id) }
        let stream = try desk.stream { reader, stream in
            var count: Int64 = 0
            try reader.body(of: id, side) { piece in
                count += Int64(piece.count)
                return stream.send(piece)
            }
            // It was removed meanwhile.
            if count < kept { stream.fail() }
        }
        let name = "\(id)-\(side == .request ? "request" : "response")"
        return .stream(
            stream, type: type,
            fields: [
                ("Content-Disposition", "attachment; filename=\"\(name)\""),
                ("Content-Security-Policy", "sandbox; default-src 'none'"),
            ])
    }

    /// A field of a recorded head, if it is valid in another one.
    private static func mediaType(_ bytes: [UInt8]?) -> String {
        guard let bytes, bytes.contains(UInt8(ascii: "/")), bytes.count <= 256,
            bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F })
        else { return "application/octet-stream" }
        return String(decoding: bytes, as: UTF8.self)
    }

    func exportTraffic(_ query: Record<API.TrafficExport>) async throws -> HandledResponse {
        let (filter, format) = (try TrafficFilter(query: query.filter), query.format)
        let version = facts.version
        let rules = proxy.profiles?.library.redactionRules ?? [:]
        let calls = calls
        let desk = try desk()
        // Failures that are known now get an error response, not one that is cut off.
        _ = try await desk.read { reader in try reader.newest() }
        let stream = try desk.stream { reader, stream in
            var search = TrafficSearch(reader, filter)
            let output = ExportOutput(calls: calls) { stream.send($0) }
            search.mayGoOn = { () throws(StoreFailure) in
                // A search without results would not notice that its client has left.
                if stream.isCancelled { throw StoreFailure(.other, path: desk.path, "nobody reads the export") }
            }
            switch format {
            case .har: _ = try HARExport(search, version: version).write(to: output)
            case .jsonl: _ = try JSONLinesExport(search, calls).write(to: output)
            case .html: _ = try HTMLExport(search, version: version, rules: rules, calls: calls).write(to: output)
            }
        }
        return .stream(
            stream, type: format.type,
            fields: [
                ("Content-Disposition", "attachment; filename=\"traffic.\(format.rawValue)\""),
                // A page that is opened in the place of being saved has no script, and is not of this origin.
                ("Content-Security-Policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"),
            ])
    }
}
