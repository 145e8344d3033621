import Bytes
import Exchanges
import HTTP

/// Sends each attempt's span to its origin (W3C Trace Context).
enum TraceStep: RequestStep {
    static func append(
        to output: inout Buffer, for request: OutgoingRequest, replacing fields: inout FieldNameSet
    ) -> Bool {
        guard let trace = request.exchange.metrics.trace else { return true }
        fields = fields.union(trace.state == .whole ? [.traceparent] : [.traceparent, .tracestate])
        var line = Array("traceparent: ".utf8)
        line.reserveCapacity(80)
        trace.sent.append(to: &line)
        line += "\r\n".utf8
        if case .shortened(let state) = trace.state, !state.isEmpty {
            line += "tracestate: ".utf8
            line += state
            line += "\r\n".utf8
        }
        return output.appendWhole(line)
    }
}
