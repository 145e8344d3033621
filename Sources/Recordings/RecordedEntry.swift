import Bytes

/// A request with its response as they stand in a recording; texts stay in the file.
package struct RecordedEntry: Sendable {
    /// A body's place.
    package struct Body: Sendable {
        /// Of a JSON string with its quotes; nil where the file has no text.
        var text: Range<UInt64>?
        var isBase64 = false
        package var type = ""
        /// The tool that recorded it kept a part or nothing.
        package var isIncomplete = false
        /// Of the response's content, as the tool saw it; 0 where it does not say.
        var size = 0
        var parameters: Range<UInt64>?
        /// A file beside the archive that has the body, as Playwright writes it.
        var file: String?
    }

    /// Of the entry in the file.
    package let start: UInt64
    /// Microseconds since 1970; 0 where the recording does not say.
    package var started: Int64 = 0
    package var method = ""
    package var url = ""
    /// 0 where no response came.
    package var status = 0
    var requestHeaders: Range<UInt64>?
    var responseHeaders: Range<UInt64>?
    package var requestBody: Body?
    package var responseBody = Body()
    /// Of the trailer section, which Shunt writes.
    var responseTrailers: Range<UInt64>?
    /// Of a WebSocket or an event stream.
    var messages: Range<UInt64>?
    /// Microseconds until the response began, and that its body took.
    var (wait, receive): (UInt64, UInt64) = (0, 0)
    /// Shunt wrote it.
    var isOwn = false
    /// Secrets in it were replaced.
    var isRedacted = false
    /// The exchange has failed; a response may have begun.
    var hasFailed = false
    /// Its response broke off at the origin.
    var brokeOff = false

    init(start: UInt64) { self.start = start }

    var isReplayable: Bool { Self.isReplayable(method: method, url: url, status: status) }

    /// Whether a request can ask for it, and a response to it came.
    package static func isReplayable(method: String, url: String, status: Int) -> Bool {
        !method.isEmpty && (100...999).contains(status) && RecordedURL(url) != nil
    }

    var isWebSocket: Bool { status == 101 }

    /// Its response is a part of one, or says that there is no such part (RFC 9110 15.3.7, 15.5.17).
    var isPartial: Bool { status == 206 || status == 416 }

    /// A Range field's value without what makes no difference.
    static func comparedRange(_ value: String) -> String { value.lowercased().filter { $0 != " " && $0 != "\t" } }

    /// The response has the head alone.
    var isHead: Bool { method == "HEAD" }

    /// Its response had a body, which the tool has not kept.
    ///
    /// Browsers forget large ones and write no text, or the empty one, `""`.
    var lacksBody: Bool {
        let body = responseBody
        return body.isIncomplete
            || body.size > 0 && body.text?.count ?? 2 == 2 && body.file == nil && method != "HEAD" && status != 204
                && !(300..<400).contains(status)
    }
}

extension ArchiveScanner {
    /// Reads one entry, which need not be one that can be replayed.
    mutating func entry() throws(Stop) -> RecordedEntry {
        _ = try token()
        var entry = RecordedEntry(start: offset)
        try object("an entry") { scanner, key throws(Stop) in
            switch key {
            case "startedDateTime": entry.started = try scanner.string().flatMap { CalendarTime.parse($0) } ?? 0
            case "request": try scanner.request(into: &entry)
            case "response": try scanner.response(into: &entry)
            case "timings":
                if try scanner.token() == UInt8(ascii: "{") {
                    try scanner.timings(into: &entry)
                } else {
                    try scanner.skipValue()
                }
            case "_responseTrailers": entry.responseTrailers = try scanner.skipValue()
            case "_webSocketMessages", "_eventSourceMessages": entry.messages = try scanner.skipValue()
            case "_failure":
                if try scanner.token() == UInt8(ascii: "{") {
                    try scanner.failure(into: &entry)
                } else {
                    try scanner.skipValue()
                }
            case "_client":
                entry.isOwn = true
                try scanner.skipValue()
            case "_redacted":
                entry.isRedacted = try scanner.token() == UInt8(ascii: "t")
                try scanner.skipValue()
            default: try scanner.skipValue()
            }
        }
        return entry
    }

    private mutating func timings(into entry: inout RecordedEntry) throws(Stop) {
        try object("timings") { scanner, key throws(Stop) in
            switch key {
            case "send", "wait":
                // Keys may be there any number of times.
                entry.wait = UntrustedNumber(entry.wait).plus(UntrustedNumber(try scanner.microseconds())).clamped()
            case "receive": entry.receive = try scanner.microseconds()
            default: try scanner.skipValue()
            }
        }
    }

    /// What failed, as Shunt tells it.
    private mutating func failure(into entry: inout RecordedEntry) throws(Stop) {
        var (side, stage) = ("", "")
        try object("a failure") { scanner, key throws(Stop) in
            switch key {
            case "side": side = try scanner.string() ?? ""
            case "stage": stage = try scanner.string() ?? ""
            default: try scanner.skipValue()
            }
        }
        entry.brokeOff = side == "origin" && stage == "receive"
    }

    private mutating func request(into entry: inout RecordedEntry) throws(Stop) {
        var ownURL: String?
        try object("a request") { scanner, key throws(Stop) in
            switch key {
            case "method": entry.method = try scanner.string() ?? ""
            case "url": entry.url = try scanner.string() ?? ""
            case "_url": ownURL = try scanner.string()
            case "headers": entry.requestHeaders = try scanner.skipValue()
            case "postData":
                if try scanner.token() == UInt8(ascii: "{") {
                    entry.requestBody = try scanner.body("a request's body")
                } else {
                    try scanner.skipValue()
                }
            default: try scanner.skipValue()
            }
        }
        if let ownURL { entry.url = ownURL }
    }

    private mutating func response(into entry: inout RecordedEntry) throws(Stop) {
        try object("a response") { scanner, key throws(Stop) in
            switch key {
            case "status": entry.status = try scanner.integer() ?? 0
            case "headers": entry.responseHeaders = try scanner.skipValue()
            case "_error": entry.hasFailed = try scanner.string()?.isEmpty == false
            case "content":
                if try scanner.token() == UInt8(ascii: "{") {
                    entry.responseBody = try scanner.body("a response's body")
                } else {
                    try scanner.skipValue()
                }
            default: try scanner.skipValue()
            }
        }
    }

    private mutating func body(_ what: String) throws(Stop) -> RecordedEntry.Body {
        var body = RecordedEntry.Body()
        try object(what) { scanner, key throws(Stop) in
            switch key {
            case "text":
                let isString = try scanner.token() == UInt8(ascii: "\"")
                let range = try scanner.skipValue()
                if isString { body.text = range }
            case "mimeType": body.type = try scanner.string() ?? ""
            // Two of Shunt's spellings: HAR 1.2 has an encoding for responses alone.
            case "encoding", "_encoding": body.isBase64 = try scanner.string()?.lowercased() == "base64"
            case "_incomplete":
                body.isIncomplete = true
                try scanner.skipValue()
            case "size": body.size = try scanner.integer() ?? 0
            case "_file": body.file = try scanner.string()
            case "params": body.parameters = try scanner.skipValue()
            default: try scanner.skipValue()
            }
        }
        return body
    }
}
