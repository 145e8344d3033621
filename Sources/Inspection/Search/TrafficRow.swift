import Exchanges
public import JSON
public import Store

extension TrafficSummary {
    /// Writes what a list shows of an exchange, without names: a third of the bytes of all that is known of it.
    ///
    /// The order is that of docs/admin.md; members are added at the end.
    public func writeRow(to array: inout JSONWriter) {
        array.value(id)
        array.value(milliseconds: UInt64(clamping: exchange.startedAt))
        array.value(exchange.method)
        array.value(exchange.url)
        array.value(exchange.status)
        array.value(exchange.profile)
        array.value(exchange.route)
        array.value(exchange.responder)
        array.value(responseType)
        array.value(exchange.bytes.response)
        array.value(milliseconds: exchange.timings.total)
        array.value(milliseconds: (exchange.timings.send ?? 0).saturatingAdding(exchange.timings.wait ?? 0))
        array.value(!isEnded)
        array.value(exchange.failure.map { "\($0.side)/\($0.stage): \($0.message)" })
        array.value(exchange.origin?.url)
        array.value(exchange.origin?.trust)
        array.value(exchange.origin?.trustDecision)
        array.value(exchange.isUnlocked)
        array.value(exchange.attempts.count)
        let timings = exchange.timings
        array.value(
            milliseconds: (timings.dns ?? 0).saturatingAdding(timings.connect ?? 0).saturatingAdding(timings.tls ?? 0))
        array.value(milliseconds: timings.receive ?? 0)
        array.value(exchange.origin?.isReused ?? false)
        array.value(exchange.rewritten.contains { $0 == "+network" || $0 == "+fault" })
        array.value(exchange.client.app)
        array.value(exchange.session)
        array.value(exchange.operation)
        array.value(exchange.graphQLErrors)
        array.value(exchange.grpcStatus)
        array.value(exchange.contract.count)
    }
}

extension JSONWriter {
    fileprivate mutating func value(_ text: String?) { if let text { value(text) } else { null() } }

    fileprivate mutating func value(_ number: Int?) { if let number { value(number) } else { null() } }
}

extension UInt64 {
    fileprivate func saturatingAdding(_ other: UInt64) -> UInt64 {
        let (sum, isTooMuch) = addingReportingOverflow(other)
        return isTooMuch ? .max : sum
    }
}
