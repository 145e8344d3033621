import Bytes

/// A recorded response as it is sent again.
public struct RecordedResponse: Sendable {
    public let status: Int
    /// Without those that belong to the connection, and those that the body no longer has.
    public let fields: [(name: String, value: String)]
    public let body: [UInt8]
    /// It may have addresses in it.
    public let isText: Bool
}

extension RecordingFile {
    /// Fields of one connection, of framing (RFC 9110 7.6.1), of codings that archives undo, and what would lead
    /// clients away from Shunt.
    private static let dropped: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "transfer-encoding", "te", "trailer", "upgrade",
        "content-length", "content-encoding", "proxy-authenticate", "proxy-authorization", "strict-transport-security",
        "alt-svc", "shunt-answered-by",
    ]

    /// Bytes of an entry's response in the file.
    public func length(ofResponse entry: Int) -> Int {
        let body = entries[entry].responseBody
        return body.file == nil ? body.text.map { Int(clamping: $0.upperBound - $0.lowerBound) } ?? 0 : .max
    }

    /// The response of an entry.
    public func response(_ entry: Int) throws(RecordingFailure) -> RecordedResponse {
        let entry = entries[entry]
        guard (200...999).contains(entry.status) else {
            throw RecordingFailure("has no ordinary response here: status \(entry.status)")
        }
        guard !entry.lacksBody else {
            throw RecordingFailure("has only a part of the body of this response, or nothing of it")
        }
        var fields = try responseFields(entry).filter { field in
            !Self.dropped.contains(field.name.lowercased()) && Self.isField(field)
        }
        if !fields.contains(where: { $0.name.lowercased() == "content-type" }), !entry.responseBody.type.isEmpty,
            entry.responseBody.type != "x-unknown"
        {
            fields.append(("Content-Type", entry.responseBody.type))
        }
        let type = fields.first { $0.name.lowercased() == "content-type" }?.value.lowercased() ?? ""
        let body = try bytes(entry.responseBody)
        // A browser had it in its cache, and put the cached body into the archive.
        let wasCached = entry.status == 304 && !body.isEmpty
        return RecordedResponse(
            status: wasCached ? 200 : entry.status, fields: fields, body: body,
            isText: ["text/", "json", "javascript", "xml"].contains { type.contains($0) })
    }

    /// Pseudo-fields of HTTP/2, and what no field can hold, are left out.
    private static func isField(_ field: (name: String, value: String)) -> Bool {
        field.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
            && field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}
