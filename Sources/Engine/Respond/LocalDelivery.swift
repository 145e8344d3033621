import Bytes
import Exchanges
import HTTP
import Reactor
import Rewriting
import Store

extension ClientExchange {
    /// Sends a local response; the part of the request's body that was not buffered is dropped.
    /// - Parameter extra: field lines after those of the response.
    func respond(_ response: LocalResponse, extra: [UInt8] = []) async {
        let response = way.edits?.plan.changesResponseBodies == true ? response.edited(in: self) : response
        let delivery = LocalDelivery(exchange: self)
        switch delivery.writeHead(response.status, response.fields, extra, length: UInt64(response.body.count)) {
        case .doesNotFit: return await delivery.refuseHead()
        case .withoutBody: break
        case .withBody:
            if let recording { response.body.withUnsafeBytes { recording.add(.response, $0) } }
            metrics.bytes.response = UInt64(response.body.count)
            guard await client.deliver(response.body) else { return }
        }
        await delivery.end()
    }
}

/// Sends the client what Shunt itself responds.
struct LocalDelivery {
    let exchange: ClientExchange
    private var client: Client { exchange.client }
    private var request: Request { exchange.request }
    private var body: RequestBody { exchange.body }
    private var metrics: ExchangeMetrics { exchange.metrics }

    /// What became of a head.
    enum WrittenHead {
        case doesNotFit
        case withoutBody
        case withBody
    }

    /// Writes the head of a response of Shunt's own into the output, as the route's edits change it.
    /// - Parameter length: of the body, also where a HEAD or a status leaves it out.
    func writeHead(_ own: Int, _ fields: [UInt8], _ extra: [UInt8], length: UInt64?) -> WrittenHead {
        let channel = client.channel
        // A client that was not invited to send its body may not do so (RFC 9110 10.1.1).
        if request.head.expectsContinue && request.head.framing != .none && body.buffered == nil {
            client.mustClose = true
        }
        if hasStrayBody { client.mustClose = true }
        let status = status(for: own)
        let length = LocalResponse.mayHaveBody(status) ? length ?? 0 : nil
        channel.reserveOutput(fields.count + extra.count + 256)
        let mark = channel.output.count
        // A mock or a recording may have more fields than a buffer takes.
        var room = fields.count + extra.count + 4096
        while !appendHead(status, fields, extra, length) {
            channel.output.truncate(to: mark)
            guard room <= 2 * Limits.responseHeadBytes else { return .doesNotFit }
            channel.output.grow(by: room)
            room *= 2
        }
        guard channel.output.count - mark <= Limits.responseHeadBytes else {
            channel.output.truncate(to: mark)
            return .doesNotFit
        }
        metrics.didRespond(status)
        exchange.recording?.add(.clientResponse, UnsafeRawBufferPointer(rebasing: channel.output.unsafeBytes[mark...]))
        let hasBody = length ?? 0 > 0 && request.head.method != .head
        if !body.isBuffered { holdEnd(of: status, hasLength: true) }
        channel.didWriteHead(hasBody: hasBody)
        return hasBody ? .withBody : .withoutBody
    }

    /// Some clients of HTTP/2 go on with a body after a response of success, yet read nothing after its end, also no
    /// WINDOW_UPDATE, and wait for ever (curl 7).
    func holdEnd(of status: Int, hasLength: Bool) {
        guard client.channel.isStream, status < 300, request.head.names.contains(.contentLength),
            !request.head.expectsContinue
        else { return }
        client.channel.holdEnd(hasLength: hasLength)
    }

    private func appendHead(_ status: Int, _ fields: [UInt8], _ extra: [UInt8], _ length: UInt64?) -> Bool {
        let channel = client.channel
        guard HeadWriter.appendStatusLine(status: status, to: &channel.output) else { return false }
        let mark = channel.output.count
        guard channel.output.appendWhole(fields), channel.output.appendWhole(extra) else { return false }
        if let edits = exchange.way.edits {
            let own = channel.output.count
            guard edits.changeResponse(&channel.output, from: mark, own: own, in: exchange) else { return false }
        }
        if let length, !HeadWriter.appendContentLength(length, to: &channel.output) { return false }
        if let note = exchange.state.note, !channel.output.appendWhole(note.line) { return false }
        return client.appendConnection(for: request.head.version) && channel.output.appendWhole("\r\n")
    }

    /// Responds in place of a local response whose head is longer than heads of origins may be.
    func refuseHead() async {
        exchange.effects.removeAll()
        exchange.way.edits = nil
        await exchange.fail(
            EngineFailure(
                .proxy, .deliver, status: 500,
                "the response's fields take more than \(Limits.responseHeadBytes >> 10) KiB",
                advice: "Shorten those of the mock, the recording or the route's \"changes\"."))
    }

    /// The status that the client gets.
    private func status(for own: Int) -> Int {
        guard let edits = exchange.way.edits else { return own }
        let status = edits.plan.status(for: own)
        if status != own { metrics.changes.insert(.status) }
        return status
    }

    /// Sends the rest of the output, and drops the request's body.
    func end() async {
        let channel = client.channel
        if channel.isStream { channel.finishWriting() }
        guard await client.flush(ending: exchange.effects.take(now: exchange.state.clock())) else { return }
        // A client that wants the connection closed sends its body nevertheless, which belongs to what is recorded.
        let isClientsWish = !request.head.keepAlive && !request.head.expectsContinue
        let hasRest = channel.isStream ? !body.isBuffered : !body.hasBegun && (!client.mustClose || isClientsWish)
        if hasRest, request.head.framing != .none { await discardBody() }
        if channel.isStream { channel.stopReading() }
    }

    /// Only a part of the body was read, and what follows of it would be taken for the next request.
    private var hasStrayBody: Bool {
        !client.channel.isStream && body.hasBegun && request.head.framing != .none && !body.isBuffered
    }

    /// Reads and drops the request's body, if it is not too long, so that the next request can be read.
    private func discardBody() async {
        var pump = BodyPump(exchange.state.limits)
        pump.begin(request.head.framing, .discard)
        pump.record(.request, to: exchange.recording)
        await client.discard(&pump)
        metrics.bytes.request += pump.count
    }
}

extension Client {
    /// Pieces of a dropped body in a row before other connections get their turn.
    private static let maxSteps = 16
    private static let streamPatience = Limits.second / 4

    /// Reads and drops the rest of a body that a pump discards; closes the connection if that takes too long.
    func discard(_ pump: inout BodyPump) async {
        let max = pump.count &+ UInt64(state.limits.discardedBody)
        // A stream can be ended without harm to the others; some clients stop sending and wait for that.
        let patience = channel.isStream && !channel.holdsEnd ? Self.streamPatience : state.limits.discardPause
        let end = state.core.now.after(state.limits.discardTime)
        waiter.deadline = min(end, state.core.now.after(patience))
        var steps = 0
        do throws(BodyPump.Failure) {
            while pump.count <= max {
                switch try pump.step(from: channel, to: channel) {
                case .finished: return
                case .moved:
                    waiter.deadline = min(end, state.core.now.after(patience))
                    steps += 1
                    if steps % Self.maxSteps == 0 { await waiter.yield() }
                case .needsInput, .needsOutput:
                    if waiter.isExpired || state.isAborting {
                        mustClose = true
                        return
                    }
                    await waiter.park()
                }
            }
        } catch {}
        mustClose = true
    }
}
