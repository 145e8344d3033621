import Bytes
import Exchanges
import JSON
import Redaction
import Store

/// One entry of an HTTP Archive.
///
/// A class, since each closure would copy all that a value has.
final class HAREntryWriter {
    let reader: TrafficReader
    let record: TrafficRecord
    /// That of the record, which would be copied at each use.
    let exchange: Exchange
    let output: ExportOutput
    let content: KnownContent

    var request: KnownHead { content.request }
    var response: KnownHead { content.response }
    var requestBytes: [UInt8]? { record.clientRequest ?? record.originRequest }
    var responseBytes: [UInt8]? { record.response }

    init(_ reader: TrafficReader, _ record: TrafficRecord, _ output: ExportOutput) throws(ExportFailure) {
        (self.reader, self.record, self.output) = (reader, record, output)
        exchange = record.summary.exchange
        content = try output.contents.content(reader, record, output.heads)
    }

    func write() throws(ExportFailure) -> SecretsSeen {
        let secrets = content.secrets.with(exchange.url)
        output.json.beginObject()
        output.json.member("startedDateTime", CalendarTime.text(exchange.startedAt))
        output.json.member("time", milliseconds: HARTimings(exchange.timings).sum)
        try writeRequest()
        try writeResponse()
        output.json.object("cache") { _ in }
        output.json.object("timings") { HARTimings(exchange.timings).write(to: &$0) }
        if let address = exchange.origin?.address {
            let bytes = Array(address.utf8)
            let host = AddressText.split(bytes, 0..<bytes.count).host ?? 0..<bytes.count
            output.json.member("serverIPAddress", String(decoding: bytes[host], as: UTF8.self))
        }
        let client = Array(exchange.client.address.utf8)
        if let port = AddressText.split(client, 0..<client.count).port { output.json.member("connection", "\(port)") }
        writeFacts(isRedacted: secrets.isRedacted)
        try writeOriginBody("_originRequestBody", content.originRequestBody)
        try writeOriginBody("_originResponseBody", content.originResponseBody)
        try writeCall()
        try writeMessages()
        output.json.endObject()
        try output.settle()
        return secrets
    }

    func writeFields(of head: KnownHead) {
        output.json.key("headers")
        output.json.raw(head.fields)
    }

    func writeCookies(_ cookies: [RecordedCookie]) { output.json.objects("cookies", cookies) { $1.write(to: &$0) } }
}

extension JSONWriter {
    mutating func fields(of head: HeadLines) {
        array { array in
            for field in head.fields {
                array.object {
                    $0.member("name", head, field.name)
                    $0.member("value", head, field.value)
                }
            }
        }
    }

    /// A part of a head: UTF-8, or else every byte one character.
    mutating func member(_ name: String, _ head: HeadLines, _ place: Range<Int>) {
        key(name)
        let isASCII = head.bytes.withSpan { value(ascii: $0.extracting(place)) }
        if !isASCII { value(head.text(place)) }
    }
}

extension RecordedCookie {
    func write(to json: inout JSONWriter) {
        json.member("name", name)
        json.member("value", value)
        if let path { json.member("path", path) }
        if let domain { json.member("domain", domain) }
        if let expires { json.member("expires", CalendarTime.text(expires)) }
        json.member("httpOnly", isHTTPOnly)
        json.member("secure", isSecure)
        if let sameSite { json.member("_sameSite", sameSite) }
    }
}

/// Phases as HAR divides them: TLS is part of connecting, and what did not happen is -1, or 0 where it must have.
struct HARTimings {
    private let timings: Exchange.Timings

    init(_ timings: Exchange.Timings) { self.timings = timings }

    private var connect: UInt64? {
        guard timings.connect != nil || timings.tls != nil else { return nil }
        return Self.sum([timings.connect, timings.tls])
    }

    /// Microseconds of all phases; TLS counts within connecting.
    var sum: UInt64 { Self.sum([timings.blocked, timings.dns, connect, timings.send, timings.wait, timings.receive]) }

    func write(to json: inout JSONWriter) {
        func write(_ name: String, _ value: UInt64?, to json: inout JSONWriter) {
            if let value { json.member(name, milliseconds: value) } else { json.member(name, -1) }
        }
        write("blocked", timings.blocked, to: &json)
        write("dns", timings.dns, to: &json)
        write("connect", connect, to: &json)
        write("ssl", timings.tls, to: &json)
        write("send", timings.send ?? 0, to: &json)
        write("wait", timings.wait ?? 0, to: &json)
        write("receive", timings.receive ?? 0, to: &json)
    }

    private static func sum(_ phases: [UInt64?]) -> UInt64 {
        phases.reduce(0) { sum, phase in
            let (next, isTooMuch) = sum.addingReportingOverflow(phase ?? 0)
            return isTooMuch ? .max : next
        }
    }
}

extension JSONWriter {
    /// Milliseconds of microseconds, with three places at most.
    mutating func member(_ name: String, milliseconds microseconds: UInt64) {
        key(name)
        value(milliseconds: microseconds)
    }
}
