import Bytes
import HTTP
import Profiles
import Reactor
import TLS

/// Sends messages to a collector of traces, one after the other on one connection that is kept.
///
/// Confined to its loop.
final class Collector {
    /// What has become of a message.
    enum Outcome {
        /// With the body of the response.
        case taken([UInt8])
        /// It is not to be sent again.
        case refused(String)
        /// It may be sent again, in so many seconds at the earliest.
        case later(String, seconds: Int64?)
    }

    private static let maxResponse = 64 << 10
    private let settings: SpanExport
    private let state: WorkerState
    private let pool: OriginPool
    private let head: [UInt8]
    private var connection: OriginConnection?

    init(_ settings: SpanExport, _ state: WorkerState) throws(TLSFailure) {
        (self.settings, self.state) = (settings, state)
        let address = settings.collector
        let context = address.isTLS ? try ClientContext(address.trust) : nil
        pool = OriginPool(OriginPlan(address, context: context), limit: 0)
        var text = "POST \(settings.target) HTTP/1.1\r\nHost: \(address.authority)\r\n"
        text += "User-Agent: shunt/\(settings.version)\r\nContent-Type: application/x-protobuf\r\n"
        if settings.isCompressed { text += "Content-Encoding: gzip\r\n" }
        for (name, value) in settings.fields { text += "\(name): \(value)\r\n" }
        head = Array(text.utf8)
    }

    /// Sends a message, and waits for the response until the waiter's deadline at `end`.
    func post(_ message: [UInt8], _ waiter: Waiter, until end: Instant) async -> Outcome {
        do throws(EngineFailure) {
            // A connection that was kept may have been closed meanwhile, which says nothing about the collector.
            if let kept = connection.take() {
                kept.channel.notify(waiter)
                if kept.isUsable(sure: true), let outcome = try? await ask(kept, message, waiter, until: end) {
                    return outcome
                }
                kept.close()
            }
            let now = state.core.clock()
            let fresh = try await OriginConnection.open(
                pool, state, waiter, within: now < end ? end - now : 0, alpn: ["http/1.1"])
            fresh.channel.notify(waiter)
            return try await ask(fresh, message, waiter, until: end)
        } catch {
            return .later(error.message, seconds: nil)
        }
    }

    func close() {
        connection?.close()
        connection = nil
        pool.close()
    }

    private func ask(
        _ connection: OriginConnection, _ message: [UInt8], _ waiter: Waiter, until end: Instant
    ) async throws(EngineFailure) -> Outcome {
        waiter.deadline = end
        var exchange = SmallExchange(connection.channel, waiter)
        do throws(SmallExchange.Failure) {
            try await exchange.ask(head + Array("Content-Length: \(message.count)\r\n\r\n".utf8), content: message)
            // More than that says nothing: the status is known.
            _ = try await exchange.readContent(limit: Self.maxResponse)
        } catch {
            connection.close()
            throw .lost(settings.collector, .wait, error.reason)
        }
        if exchange.keepsAlive { self.connection = connection } else { connection.close() }
        return outcome(of: exchange)
    }

    /// What the specification of OTLP says about statuses.
    private func outcome(of exchange: SmallExchange) -> Outcome {
        let status = exchange.head.status
        switch status {
        case 200..<300: return .taken(exchange.content)
        case 429, 502, 503, 504:
            return .later("it responded with \(status)", seconds: exchange.retryAfter(now: state.clock()))
        default: return .refused("it responded with \(status)")
        }
    }
}

extension SmallExchange {
    /// Seconds, or until a date (RFC 9110 10.2.3); nil where the field is missing or says nothing.
    fileprivate func retryAfter(now: Int64) -> Int64? {
        guard let field = value(.retryAfter) else { return nil }
        if let seconds = UntrustedNumber(digits: field) { return seconds.clamped() }
        return HTTPDate.parse(field.span).map { max(0, $0 - now) }
    }
}
