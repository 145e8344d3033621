import Bytes
package import JSON

/// One exchange as one line of JSON; the names are part of the interface (docs/log.md).
package struct JSONLine {
    package init() {}

    package func append(_ exchange: Exchange, isRunning: Bool = false, to line: inout [UInt8]) {
        var writer = JSONWriter()
        writer.object { Self.write(exchange, isRunning: isRunning, to: &$0) }
        line.append(contentsOf: writer.bytes)
        line.append(UInt8(ascii: "\n"))
    }

    /// The members of the object.
    package static func write(_ exchange: Exchange, isRunning: Bool, to object: inout JSONWriter) {
        if let id = exchange.id { object.member("id", id) }
        if isRunning { object.member("running", true) }
        object.member("time", timestamp(exchange.startedAt))
        if let trace = exchange.trace {
            object.member("trace_id", trace.id.text)
            object.member("span_id", TraceParent.text(ofSpan: trace.span))
        }
        object.member("method", exchange.method)
        object.member("url", exchange.url)
        ExchangeTable.write(exchange, as: .log, to: &object)
        object.key("client")
        object.object { client in
            client.member("address", exchange.client.address)
            client.member("protocol", exchange.client.version)
            client.member("tls", exchange.client.tls)
            if let app = exchange.client.app { client.member("app", app) }
        }
        object.key("origin")
        if let origin = exchange.origin { append(origin, to: &object) } else { object.null() }
        object.key("timings_us")
        append(exchange.timings, to: &object)
        object.key("bytes")
        object.object { bytes in
            bytes.member("request", exchange.bytes.request)
            bytes.member("response", exchange.bytes.response)
        }
        object.key("error")
        if let failure = exchange.failure {
            object.object { error in
                error.member("side", failure.side)
                error.member("stage", failure.stage)
                error.member("message", failure.message)
                if !failure.fixes.isEmpty { error.member("fixes", failure.fixes) }
            }
        } else {
            object.null()
        }
    }

    private static func append(_ origin: Exchange.OriginFacts, to writer: inout JSONWriter) {
        writer.object { object in
            object.member("url", origin.url)
            object.member("address", origin.address)
            object.member("protocol", origin.version)
            object.member("reused", origin.isReused)
            object.member("tls", origin.tls)
            object.member("resumed", origin.isResumed)
            object.member("trust", origin.trust)
            object.member("trust_decision", origin.trustDecision)
        }
    }

    private static func append(_ timings: Exchange.Timings, to writer: inout JSONWriter) {
        func write(_ name: String, _ value: UInt64?, to object: inout JSONWriter) {
            object.key(name)
            if let value { object.value(value) } else { object.null() }
        }
        writer.object { object in
            write("dns", timings.dns, to: &object)
            write("connect", timings.connect, to: &object)
            write("tls", timings.tls, to: &object)
            write("send", timings.send, to: &object)
            write("wait", timings.wait, to: &object)
            write("receive", timings.receive, to: &object)
            write("total", timings.total, to: &object)
        }
    }

    /// RFC 3339, UTC, with milliseconds.
    package static func timestamp(_ microseconds: Int64) -> String { CalendarTime.text(milliseconds: microseconds) }
}
