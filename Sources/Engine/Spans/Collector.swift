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
            let (kept, isKept) = try await open(waiter, until: end)
            do throws(EngineFailure) {
                return try await ask(kept, message, waiter, until: end)
            } catch {
                kept.close()
                // A connection that was kept may have been closed meanwhile, which says nothing about the collector.
                guard isKept, !waiter.isExpired else { throw error }
                let (fresh, _) = try await open(waiter, until: end)
                do throws(EngineFailure) {
                    return try await ask(fresh, message, waiter, until: end)
                } catch {
                    fresh.close()
                    throw error
                }
            }
        } catch {
            return .later(error.message, seconds: nil)
        }
    }

    func close() {
        connection?.close()
        connection = nil
        pool.close()
    }

    private func open(
        _ waiter: Waiter, until end: Instant
    ) async throws(EngineFailure) -> (OriginConnection, isKept: Bool) {
        if let kept = connection.take() {
            kept.channel.notify(waiter)
            if kept.isUsable(sure: true) { return (kept, true) }
            kept.close()
        }
        let now = state.core.clock()
        let opened = try await OriginConnection.open(
            pool, state, waiter, within: now < end ? end - now : 0, alpn: ["http/1.1"])
        opened.channel.notify(waiter)
        return (opened, false)
    }

    private func ask(
        _ connection: OriginConnection, _ message: [UInt8], _ waiter: Waiter, until end: Instant
    ) async throws(EngineFailure) -> Outcome {
        let channel = connection.channel
        waiter.deadline = end
        let lines = head + Array("Content-Length: \(message.count)\r\n\r\n".utf8)
        channel.reserveOutput(lines.count)
        guard channel.output.appendWhole(lines) else {
            throw EngineFailure(.proxy, .send, status: 500, "the header fields for the collector are too long")
        }
        while try !flush(channel) { try await wait(waiter) }
        var sent = 0
        while sent < message.count {
            let count = try send(message[sent...], channel)
            sent += count
            if count == 0 { try await wait(waiter) }
        }
        while try !flush(channel) { try await wait(waiter) }
        var reading = CollectorResponse(limit: Self.maxResponse)
        while true {
            do throws(HTTPFailure) {
                if try reading.advance(channel) { break }
            } catch {
                throw lost("sent a faulty response: \(error.reason)")
            }
            while try !fill(channel, &reading) { try await wait(waiter) }
        }
        if reading.keepsAlive { self.connection = connection } else { connection.close() }
        return outcome(of: reading)
    }

    /// What the specification of OTLP says about statuses.
    private func outcome(of response: CollectorResponse) -> Outcome {
        switch response.status {
        case 200..<300: return .taken(response.content)
        case 429, 502, 503, 504:
            return .later("it responded with \(response.status)", seconds: response.retryAfter(now: state.clock()))
        default: return .refused("it responded with \(response.status)")
        }
    }

    private func lost(_ reason: String) -> EngineFailure { .lost(settings.collector, .wait, reason) }

    private func flush(_ channel: Channel) throws(EngineFailure) -> Bool {
        do throws(ChannelFailure) { return try channel.flush() } catch {
            throw lost("broke the connection: \(error.message)")
        }
    }

    private func send(_ bytes: ArraySlice<UInt8>, _ channel: Channel) throws(EngineFailure) -> Int {
        do throws(ChannelFailure) {
            return try bytes.withUnsafeBufferPointer { bytes throws(ChannelFailure) in
                try channel.send(UnsafeRawBufferPointer(bytes))
            }
        } catch {
            throw lost("broke the connection: \(error.message)")
        }
    }

    /// Reads more; false when nothing is there yet.
    private func fill(_ channel: Channel, _ reading: inout CollectorResponse) throws(EngineFailure) -> Bool {
        do throws(ChannelFailure) {
            switch try channel.fill() {
            case .bytes: return true
            case .wouldBlock: return false
            case .end: break
            }
        } catch {
            throw lost("broke the connection: \(error.message)")
        }
        guard reading.endsWithConnection() else { throw lost("closed the connection without a response") }
        return true
    }

    private func wait(_ waiter: Waiter) async throws(EngineFailure) {
        if waiter.isExpired { throw lost("did not respond in time") }
        await waiter.park()
    }
}

/// A collector's response as it comes in.
private struct CollectorResponse {
    private let limit: Int
    private var head = ResponseHead()
    private var decoder: BodyDecoder?
    private(set) var status = 0
    private(set) var content: [UInt8] = []
    private var retryField: [UInt8] = []
    private var isOver = false

    init(limit: Int) { self.limit = limit }

    /// The connection can serve another request.
    var keepsAlive: Bool { head.keepAlive && !isOver }

    /// Takes what has come; true at the response's end.
    mutating func advance(_ channel: Channel) throws(HTTPFailure) -> Bool {
        while decoder == nil {
            guard let length = try head.parse(channel.inputBytes, to: .post) else { return false }
            let (framing, bytes) = (head.framing, channel.inputBytes)
            if let field = head.field(.retryAfter) { retryField = [UInt8](bytes.extracting(field.value)) }
            channel.input.consume(length)
            if head.isInformational { continue }
            status = head.status
            decoder = BodyDecoder(framing, isResponse: true)
        }
        while true {
            switch try decoder?.next(channel.inputBytes) ?? .end {
            case .end: return true
            case .needMore: return false
            case .framing(let count), .trailers(let count): channel.input.consume(count)
            case .data(let count):
                content += channel.input.unsafeBytes[..<count].prefix(limit - content.count)
                channel.input.consume(count)
                decoder?.advance(count)
                // More than that says nothing: the status is known.
                if content.count >= limit {
                    isOver = true
                    return true
                }
            }
        }
    }

    /// The connection has ended; false where that is too early.
    mutating func endsWithConnection() -> Bool {
        isOver = true
        guard decoder != nil else { return false }
        do throws(HTTPFailure) {
            try decoder?.endOfInput()
            return true
        } catch {
            return false
        }
    }

    /// Seconds, or until a date (RFC 9110 10.2.3); nil where the field is missing or says nothing.
    func retryAfter(now: Int64) -> Int64? {
        if let seconds = UntrustedNumber(digits: retryField) { return seconds.clamped() }
        guard !retryField.isEmpty else { return nil }
        return retryField.withUnsafeBufferPointer { bytes in
            HTTPDate.parse(Span(_unsafeElements: bytes)).map { max(0, $0 - now) }
        }
    }
}
