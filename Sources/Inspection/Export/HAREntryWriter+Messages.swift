import Exchanges
import JSON
import Store

extension HAREntryWriter {
    func writeRequest() throws(ExportFailure) {
        output.json.key("request")
        guard exchange.bytes.request == 0, content.requestBody.scan.count == 0, requestBytes != nil else {
            return try renderRequest()
        }
        if let known = request.request, known.method == exchange.method, known.url == exchange.url,
            known.version == exchange.client.version, known.hasOrigin == (exchange.origin != nil)
        {
            return output.json.raw(known.text)
        }
        // A request without a body stays in the writer as a whole.
        let start = output.json.bytes.count
        try renderRequest()
        request.request = KnownHead.Request(
            method: exchange.method, url: exchange.url, version: exchange.client.version,
            hasOrigin: exchange.origin != nil, text: Array(output.json.bytes[start...]))
    }

    private func renderRequest() throws(ExportFailure) {
        output.json.beginObject()
        output.json.member("method", exchange.method)
        let parts = URLText(exchange.url)
        let url = ArchiveURL.text(exchange, parts)
        output.json.member("url", url)
        if url != exchange.url { output.json.member("_url", exchange.url) }
        output.json.member("httpVersion", exchange.client.version)
        writeCookies(request.lines.values(of: "cookie").flatMap { RecordedCookie.all(cookie: $0) })
        writeFields(of: request)
        output.json.array("queryString") { array in
            for pair in FormFields.pairs((url == exchange.url ? parts : URLText(url))?.query ?? "") {
                array.object {
                    $0.member("name", pair.name)
                    $0.member("value", pair.value)
                }
            }
        }
        output.json.member("headersSize", requestBytes == nil ? -1 : request.size)
        let isChanged = record.hasChanged(.request) && !record.requestBody.isCut && !record.requestBody.isDropped
        // What was counted is what the origin got.
        output.json.member("bodySize", isChanged ? record.requestBody.kept : Int64(clamping: exchange.bytes.request))
        if exchange.bytes.request > 0 || content.requestBody.scan.count > 0 { try writePostData() }
        let line = HARHeads.requestLine(exchange, parts)
        if requestBytes != nil, request.lines.text(request.lines.startLine) != line {
            output.json.member("_requestLine", request.lines, request.lines.startLine)
        }
        output.json.endObject()
    }

    private func writePostData() throws(ExportFailure) {
        output.json.key("postData")
        output.json.beginObject()
        output.json.member("mimeType", request.contentType ?? "")
        // Parameters would exclude the text, without which Chromium shows no form.
        if !content.requestBody.scan.isText { output.json.member("_encoding", "base64") }
        try content.requestBody.write("text", to: output)
        writeState(record.requestBody, of: exchange.bytes.request)
        output.json.endObject()
    }

    func writeResponse() throws(ExportFailure) {
        output.json.key("response")
        if exchange.failure == nil, let known = content.knownResponse, known.isOf(exchange) {
            return output.json.raw(known.text)
        }
        let start = output.json.bytes.count
        try renderResponse()
        // Cookies may end some time after the response.
        guard exchange.failure == nil, !response.hasCookies, content.responseBody.staysWithEntry else { return }
        content.knownResponse = KnownContent.Response(exchange, Array(output.json.bytes[start...]))
    }

    private func renderResponse() throws(ExportFailure) {
        let (version, reason) = response.statusLine
        output.json.beginObject()
        output.json.member("status", exchange.status ?? 0)
        output.json.member("statusText", reason)
        if exchange.status == nil, responseBytes != nil {
            output.json.member("_statusLine", response.lines, response.lines.startLine)
        }
        output.json.member("httpVersion", HARHeads.spokenVersion(version, exchange))
        let cookies = response.hasCookies ? response.lines.values(of: "set-cookie") : []
        writeCookies(cookies.map { RecordedCookie(setCookie: $0, now: exchange.startedAt) })
        writeFields(of: response)
        try writeBody()
        output.json.member("redirectURL", response.location ?? "")
        output.json.member("headersSize", responseBytes == nil ? -1 : response.size)
        output.json.member("bodySize", responseSize)
        if let failure = exchange.failure { output.json.member("_error", failure.message) }
        output.json.endObject()
    }

    /// Bytes on the wire; -1 where nothing came.
    private var responseSize: Int64 { exchange.status == nil ? -1 : Int64(clamping: exchange.bytes.response) }

    /// Bytes of the body without its coding; -1 if unknown.
    private var bodySize: Int64 {
        if let size = exchange.bytes.decodedResponse { return Int64(clamping: size) }
        let body = record.responseBody
        if body.isDecoded || body.isUndecodable || record.hasChanged(.response) {
            return body.isCut || body.isDropped || body.isUndecodable ? -1 : body.kept
        }
        return Int64(clamping: exchange.bytes.response)
    }

    private func writeBody() throws(ExportFailure) {
        let size = bodySize
        output.json.key("content")
        output.json.beginObject()
        output.json.member("size", size)
        if record.responseBody.isDecoded, size >= 0, responseSize >= 0 {
            output.json.member("compression", size.subtractingReportingOverflow(responseSize).partialValue)
        }
        output.json.member("mimeType", response.contentType ?? "x-unknown")
        if content.responseBody.scan.count > 0 {
            if !content.responseBody.scan.isText { output.json.member("encoding", "base64") }
            try content.responseBody.write("text", to: output)
        }
        writeState(record.responseBody, of: exchange.bytes.response)
        output.json.endObject()
    }

    /// A body as it was at the origin's end; nothing where it is the client's.
    func writeOriginBody(_ name: String, _ body: BodyWriter?) throws(ExportFailure) {
        guard let body else { return }
        output.json.key(name)
        output.json.beginObject()
        if !body.scan.isText { output.json.member("encoding", "base64") }
        try body.write("text", to: output)
        writeState(record.body(body.side, .origin), of: 0)
        output.json.endObject()
    }

    /// Says what of a body is missing.
    private func writeState(_ body: TrafficRecord.Body, of length: UInt64) {
        if body.isUndecodable {
            output.json.member("comment", "its body coding could not be undone")
            output.json.member("_incomplete", "undecodable")
        } else if body.isCut || body.isDropped {
            output.json.member("comment", "only the first \(body.kept) bytes were kept")
            output.json.member("_incomplete", body.isCut ? "cut" : "dropped")
        } else if length > 0, body.kept == 0 {
            output.json.member("comment", "was not kept")
        }
    }
}

/// Start lines as they follow from an exchange's facts.
enum HARHeads {
    static func requestLine(_ exchange: Exchange, _ url: URLText?) -> String {
        let target = url?.target ?? exchange.url
        return "\(exchange.method) \(target) \(lineVersion(exchange.client.version))"
    }

    /// The version of a response to the client, of whose head this is the line's.
    static func spokenVersion(_ line: String, _ exchange: Exchange) -> String {
        line.isEmpty || exchange.client.version.hasPrefix("HTTP/1.") ? line : exchange.client.version
    }

    /// Heads are kept in the form of HTTP/1.1, whatever the version.
    static func lineVersion(_ version: String) -> String { version == "HTTP/1.0" ? version : "HTTP/1.1" }
}
