import Bytes

/// A recorded response as it is sent again.
public struct RecordedResponse: Sendable {
    public let status: Int
    /// Without those that belong to the connection, and those that the body no longer has.
    public let fields: [(name: String, value: String)]
    public let body: [UInt8]
    /// The length that a response to HEAD told, or what it told of none; nil for other methods.
    public let toldLength: String?
    public let trailers: [(name: String, value: String)]
    /// What the request knew already, where this is 304: validators as response fields.
    public let known: [(name: String, value: String)]
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
        let all = try responseFields(entry)
        func isKept(_ field: (name: String, value: String)) -> Bool {
            !Self.dropped.contains(field.name.lowercased()) && Self.isField(field)
        }
        var fields = all.filter(isKept)
        if !fields.contains(where: { $0.name.lowercased() == "content-type" }), !entry.responseBody.type.isEmpty,
            entry.responseBody.type != "x-unknown"
        {
            fields.append(("Content-Type", entry.responseBody.type))
        }
        let type = fields.first { $0.name.lowercased() == "content-type" }?.value.lowercased() ?? ""
        let body = try bytes(entry.responseBody)
        let told = all.first { $0.name.lowercased() == "content-length" }?.value
        guard !isCut(entry, type, told, body, all) else {
            throw RecordingFailure("has of this response only what came before it broke off")
        }
        // A browser had it in its cache, and put the cached body into the archive.
        let wasCached = entry.status == 304 && !body.isEmpty
        return RecordedResponse(
            status: wasCached ? 200 : entry.status, fields: fields, body: body,
            toldLength: entry.isHead ? told ?? "" : nil,
            trailers: try responseTrailers(entry).filter(isKept),
            known: entry.status == 304 ? try known(entry) : [],
            isText: ["text/", "json", "javascript", "xml"].contains { type.contains($0) })
    }

    /// Whether a response is not whole: it ended before its length, or at a failure of its origin.
    ///
    /// Event streams and other messages are ended by either side at any time.
    private func isCut(
        _ entry: RecordedEntry, _ type: String, _ told: String?, _ body: [UInt8],
        _ fields: [(name: String, value: String)]
    ) -> Bool {
        guard entry.hasFailed, !entry.isHead, entry.messages == nil, !type.hasPrefix("text/event-stream") else {
            return false
        }
        let isCoded = fields.contains { $0.name.lowercased() == "content-encoding" }
        return entry.brokeOff || !isCoded && told.flatMap { Int($0) }.map { $0 != body.count } ?? false
    }

    private func known(_ entry: RecordedEntry) throws(RecordingFailure) -> [(name: String, value: String)] {
        let names = ["if-none-match": "ETag", "if-modified-since": "Last-Modified"]
        return try requestFields(entry).compactMap { field in
            names[field.name.lowercased()].map { (name: $0, value: field.value) }
        }
    }

    /// Where the request of an entry went.
    public func address(_ entry: Int) -> (isTLS: Bool, host: String, port: UInt16)? {
        RecordedURL(entries[entry].url).map { url in
            let host = url.host.hasPrefix("[") ? String(url.host.dropFirst().dropLast()) : url.host
            return (url.isTLS, host, url.port)
        }
    }

    /// The response stands for a body that the client has, or has a part of it: other requests do not get it.
    public func isConditional(_ entry: Int) -> Bool { entries[entry].status == 304 }

    /// The response is a part of a text, whose bytes the recording does not have, since a secret may begin before it.
    public func isWithheld(_ entry: Int) throws(RecordingFailure) -> Bool {
        let entry = entries[entry]
        guard entry.status == 206, entry.isRedacted, entry.responseBody.file == nil,
            entry.responseBody.text?.count ?? .max <= SecretMarks.longestPart
        else { return false }
        return SecretMarks.isPart(try bytes(entry.responseBody))
    }

    /// The response has the head alone, of which a GET can be told nothing.
    public func isHead(_ entry: Int) -> Bool { entries[entry].isHead }

    /// Pseudo-fields of HTTP/2, and what no field can hold, are left out.
    private static func isField(_ field: (name: String, value: String)) -> Bool {
        field.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
            && field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}
