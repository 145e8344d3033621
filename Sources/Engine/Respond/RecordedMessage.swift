import Bytes
import HTTP
import Profiles
import Recordings
import Rewriting

/// A recorded response as the message of an origin.
struct RecordedMessage: Sendable {
    let entry: Int
    let status: Int
    /// Field lines with their ends; without those of framing.
    var fields: [UInt8]
    let body: [UInt8]
    /// The Content-Length that a response to HEAD told, empty for none; nil where the body tells.
    private let toldLength: String?
    /// Field lines of the trailer section.
    private let trailers: [UInt8]
    /// Field lines with what the recorded request knew, where this is 304.
    private let known: [UInt8]

    init(_ recorded: RecordedResponse, entry: Int, fields: [(name: String, value: String)], body: [UInt8]) {
        func lines(_ fields: [(name: String, value: String)]) -> [UInt8] {
            Array(fields.map { "\($0.name): \($0.value)\r\n" }.joined().utf8)
        }
        self.entry = entry
        status = recorded.status
        self.fields = lines(fields)
        self.body = body
        toldLength = recorded.toldLength
        trailers = lines(recorded.trailers)
        known = lines(recorded.known)
    }

    /// Its body is server-sent events.
    private var isEventStream: Bool {
        FieldLines.values(of: "content-type", in: fields).contains { $0.lowercased().hasPrefix("text/event-stream") }
    }

    /// In memory.
    var size: Int { body.count + fields.count + trailers.count }

    /// Only a HEAD was recorded, whose response would have had a body.
    var lacksContent: Bool {
        guard let toldLength, LocalResponse.mayHaveBody(status), !(300..<400).contains(status) else { return false }
        return toldLength != "0"
    }

    /// Whether the request's conditions say that the client has what this response stands for.
    func isKnown(to request: borrowing RequestHead, _ head: Span<UInt8>, _ cache: CacheRules?) -> Bool {
        guard request.method == .get || request.method == .head, status == 200 || status == 304,
            request.names.contains(.ifNoneMatch) || request.names.contains(.ifModifiedSince)
        else { return false }
        return validators(cache).evaluate(request, head) == .notModified
    }

    private func validators(_ cache: CacheRules?) -> Validators {
        // A 304 need not repeat what the client has sent.
        let tags = FieldLines.values(of: "etag", in: fields) + FieldLines.values(of: "etag", in: known)
        let dates = FieldLines.values(of: "last-modified", in: fields + known)
        let tag = tags.first.map { Array($0.utf8.drop { $0 != UInt8(ascii: "\"") }) } ?? []
        let date = dates.first.flatMap { HTTPDate.parse(ContiguousArray($0.utf8).span) } ?? .max
        let own = Validators(entityTag: tag, lastModified: date)
        return cache?.marked(own) ?? own
    }

    /// The bytes that a request asks for alone, where the origin that was recorded sends parts of this response.
    private func part(
        for request: borrowing RequestHead, _ head: Span<UInt8>, _ cache: CacheRules?
    ) -> Range<UInt64>? {
        guard status == 200, request.method == .get, trailers.isEmpty, let range = request.field(.range),
            FieldLines.values(of: "accept-ranges", in: fields).contains(where: { $0.lowercased() == "bytes" }),
            validators(cache).allowsRange(request, head),
            case .ranges(let ranges) = ByteRanges.parse(head.extracting(range.value), length: UInt64(body.count))
        else { return nil }
        return ranges.count == 1 ? ranges.first : nil
    }

    /// The message in response to a request, 304 where the client has it already.
    ///
    /// - Parameters:
    ///   - pieces: the body in the times of its parts; nil for all of it at once.
    ///   - end: what follows behind the body.
    func message(
        to request: borrowing RequestHead, _ head: Span<UInt8>, _ cache: CacheRules?, _ pieces: [PacedPiece]?,
        _ end: RecordingSettings.End
    ) -> (begin: [UInt8], rest: ListedPieces?) {
        let isKnown = isKnown(to: request, head, cache)
        let part = isKnown || pieces != nil ? nil : part(for: request, head, cache)
        let status = isKnown ? 304 : part == nil ? status : 206
        let body = part.map { self.body[Int($0.lowerBound)..<Int($0.upperBound)] } ?? body[...]
        var begin = Array("HTTP/1.1 \(status) \r\n".utf8) + fields + "Connection: close\r\n".utf8
        if let part { begin += FilesResponder.contentRange(part, of: UInt64(self.body.count)).utf8 }
        let isEndless = isEventStream && (end == .open || end == .loop)
        let isChunked = (!trailers.isEmpty || isEndless) && request.method != .head
        if LocalResponse.mayHaveBody(status) {
            if isChunked {
                begin += "Transfer-Encoding: chunked\r\n".utf8
            } else {
                let length = request.method == .head ? toldLength ?? "\(body.count)" : "\(body.count)"
                if !length.isEmpty { begin += "Content-Length: \(length)\r\n".utf8 }
            }
        }
        begin += "\r\n".utf8
        guard LocalResponse.mayHaveBody(status), request.method != .head else { return (begin, nil) }
        let parts = pieces ?? [PacedPiece(wait: 0, bytes: body)]
        var rest = isChunked ? parts.map(\.asChunk) : parts
        if isEndless { return (begin, ListedPieces(rest, staysOpen: end == .open, repeats: end == .loop)) }
        if isChunked { rest.append(PacedPiece(wait: 0, bytes: ("0\r\n".utf8 + trailers + "\r\n".utf8)[...])) }
        guard pieces == nil else { return (begin, ListedPieces(rest)) }
        return (begin + rest.flatMap(\.bytes), nil)
    }
}
