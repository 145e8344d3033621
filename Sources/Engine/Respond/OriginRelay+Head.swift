import Bytes
import Exchanges
import HTTP
import HTTP2
import Profiles
import Reactor
import Rewriting
import Store

/// The head of the response.
extension OriginRelay {
    /// Reads a response's head and passes it on; interim ones come before the final one (RFC 9110 15.2).
    ///
    /// Returns true if bytes arrived.
    mutating func readHead() throws(EngineFailure) -> Bool {
        // One head at a time: an origin may send any number of interim ones while the client reads nothing.
        guard clientChannel.isFlushed else { return false }
        var hasMoved = false
        while true {
            if !originChannel.input.isEmpty {
                if !hasReceived {
                    hasReceived = true
                    exchange.metrics.clock.didReceiveFirstByte(now: exchange.state.core.now)
                }
                if let length = try parseHead() {
                    hasResponse = try accept(length)
                    return true
                }
            }
            let outcome: ReadOutcome
            do throws(ChannelFailure) {
                outcome = try originChannel.fill(limit: clientChannel.readSizeHint)
            } catch {
                throw lostBeforeResponse(error.message, isRefused: error.code == .refusedStream)
            }
            switch outcome {
            case .bytes: hasMoved = true
            case .wouldBlock:
                guard makeRoomForHead() else { return hasMoved }
            case .end: throw lostBeforeResponse(nil)
            }
        }
    }

    private func parseHead() throws(EngineFailure) -> Int? {
        do throws(HTTPFailure) {
            if let fault = memory.fault { return try repairHead(after: fault) }
            let length = try memory.response.parse(
                originChannel.inputBytes, to: exchange.request.head.method, limits: limits.ofResponses)
            if length != nil, originChannel.isStream { memory.response.isCarriedByStream() }
            if length != nil, use.isStrict { try checkStrictly() }
            return length
        } catch {
            return try mend(error)
        }
    }

    private var response: OriginResponse {
        OriginResponse(exchange: exchange, memory: memory, use: use, channel: originChannel)
    }

    /// Passes the head on that was just parsed; true if it is the final one.
    private mutating func accept(_ length: Int) throws(EngineFailure) -> Bool {
        let isTunnel = memory.response.framing == .tunnel
        try refuse(length, isTunnel: isTunnel)
        let status = exchange.way.edits?.plan.status(for: memory.response.status) ?? memory.response.status
        if status != memory.response.status { exchange.metrics.changes.insert(.status) }
        guard memory.response.isInformational && !isTunnel else {
            try begin(response, length, status, isTunnel: isTunnel)
            return true
        }
        // HTTP/1.0 knows no interim responses (RFC 9110 15.2).
        let isWanted = exchange.request.head.version != .http10
        if isWanted { try append(response.outgoing(status, isBodyRewritten: false), length) }
        originChannel.input.consume(length)
        if memory.response.status == 100 { hasInvitedBody = true }
        if isWanted { clientChannel.didWriteInterimHead() }
        return false
    }

    /// Refuses a response that is not passed on, or that another one takes the place of.
    private func refuse(_ length: Int, isTunnel: Bool) throws(EngineFailure) {
        if memory.response.status == 401, let token = exchange.way.token { try refuse(token, length) }
        if let fallback = step?.fallback, fallback.statuses.contains(memory.response.status), !exchange.body.isSpent {
            originChannel.input.consume(length)
            throw EngineFailure(
                .origin, .wait, status: 502, "responded \(memory.response.status)", kind: .declined)
        }
        guard isTunnel else { return }
        guard exchange.way.asksForUpgrade else {
            throw .lost(
                use.origin.address, .wait, "switched protocols without being asked",
                advice: "Mend the server's response: 101 is for requests with Upgrade alone (RFC 9110 15.2.2).")
        }
        guard
            originChannel.isStream
                || exchange.request.upgrade.isAccepted(
                    by: memory.response, originChannel.inputBytes, isStream: clientChannel.isStream)
        else {
            throw .lost(
                use.origin.address, .wait,
                "gave a wrong Sec-WebSocket-Accept: what responded is no WebSocket server (RFC 6455 4.1)")
        }
    }

    /// Passes the final response on.
    private mutating func begin(
        _ response: OriginResponse, _ length: Int, _ status: Int, isTunnel: Bool
    ) throws(EngineFailure) {
        if !memory.requestPump.isFinished && exchange.request.head.expectsContinue && memory.requestPump.count == 0 {
            // The client got a final response before 100 Continue: whether it still sends its body is unknown.
            exchange.client.mustClose = true
        }
        if exchange.messages.wantsGates, let stream = response.messages { exchange.messages.openGates(stream) }
        let rewriter = response.makeBodyRewriter()
        let outgoing = response.outgoing(status, isBodyRewritten: rewriter != nil)
        try append(outgoing, length)
        if memory.response.names.contains(.location), let redirects = use.redirects { try check(redirects, status) }
        begin(response, rewriter, outgoing, length, isTunnel: isTunnel)
    }

    /// Begins with the body of the final response, whose head is in the client's output.
    private mutating func begin(
        _ response: OriginResponse, _ rewriter: BodyRewriter?, _ outgoing: OutgoingResponse, _ length: Int,
        isTunnel: Bool
    ) {
        if memory.response.status >= 300 { response.noteAdvice() }
        if exchange.way.token != nil || exchange.request.head.names.contains(.authorization) { response.noteToken() }
        let kind = response.kind
        if isTunnel || kind == .events { exchange.isLasting = true }
        let links = kind != .page || outgoing.dropsBody ? nil : response.makeLinkCount()
        response.describe(outgoing.status, kind)
        let isKept = response.keep()
        response.record(length, clientChannel.output.unsafeBytes)
        memory.isEndless = exchange.way.isUntimed || kind == .events || kind == .calls
        if memory.response.names.contains(.keepAlive) { memory.idleTime = response.keepAliveTime }
        let lesson = response.makeLesson(isKept: isKept)
        originChannel.input.consume(length)
        if !memory.requestPump.isFinished, !isTunnel {
            LocalDelivery(exchange: exchange).holdEnd(
                of: outgoing.status, hasLength: memory.response.names.contains(.contentLength))
        }
        clientChannel.didWriteHead(hasBody: memory.response.framing != .none && !outgoing.dropsBody)
        memory.responsePump.begin(
            memory.response.framing, outgoing.encoding,
            rewriter: outgoing.dropsBody ? nil : isTunnel ? exchange.gates.map { BodyRewriter($0.response) } : rewriter)
        memory.responsePump.isForgiving = !use.isStrict
        memory.responsePump.links = links
        memory.responsePump.record(.response, to: exchange.recording)
        if isKept { memory.responsePump.show(to: exchange.way.keeper) }
        if let lesson {
            exchange.way.lesson = lesson
            memory.responsePump.show(to: lesson)
        }
        guard isTunnel else { return }
        exchange.client.mustClose = true
        memory.requestPump.begin(.tunnel, .identity, rewriter: (exchange.gates?.request).map { BodyRewriter($0) })
        exchange.isWebSocket = true
        memory.requestPump.record(.request, to: exchange.recording)
    }

    /// Writes the head that the client gets into its output, which is empty.
    private func append(_ outgoing: OutgoingResponse, _ length: Int) throws(EngineFailure) {
        if outgoing.append(from: originChannel.inputBytes) { return }
        if clientChannel.isStream {
            // A stream's output is small at first.
            clientChannel.output.removeAll()
            clientChannel.reserveOutput(Limits.bufferSize)
            if outgoing.append(from: originChannel.inputBytes) { return }
        }
        clientChannel.output.removeAll()
        clientChannel.output.grow(by: length + Limits.bufferSize)
        if outgoing.append(from: originChannel.inputBytes) { return }
        clientChannel.output.removeAll()
        throw .lost(use.origin.address, .wait, "sent a head too long to be passed on")
    }

    /// Leaves the response for a second attempt with another token, once, where the request can be sent again.
    @inline(never)
    private func refuse(_ token: FetchedToken, _ length: Int) throws(EngineFailure) {
        let isAnother = use.token?.token.refuse(token, now: exchange.state.core.now) ?? false
        guard isAnother, !exchange.way.isTokenRenewed, !exchange.body.isSpent else { return }
        originChannel.input.consume(length)
        throw EngineFailure(.origin, .wait, status: 401, "the token was refused", kind: .unauthorized)
    }

    private func check(_ redirects: RedirectGuard, _ status: Int) throws(EngineFailure) {
        do throws(EngineFailure) {
            try response.checkRedirect(redirects, status)
        } catch {
            clientChannel.output.removeAll()
            throw error
        }
    }
}
