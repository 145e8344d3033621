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
                    exchange.metrics.didReceiveFirstByte(now: exchange.state.core.now)
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
            let length = try memory.parseResponse(
                originChannel.inputBytes, to: exchange.request.head.method, limits.ofResponses)
            if length != nil, originChannel.isStream { memory.response.isCarriedByStream() }
            if length != nil, use.isStrict { try checkStrictly() }
            return length
        } catch {
            return try mend(error)
        }
    }

    /// Passes the head on that was just parsed; true if it is the final one.
    private mutating func accept(_ length: Int) throws(EngineFailure) -> Bool {
        let isTunnel = memory.response.framing == .tunnel
        let isInterim = memory.response.isInformational && !isTunnel
        if memory.response.status == 401, let token = exchange.way.token { try refuse(token, length) }
        if let fallback = step?.fallback, fallback.statuses.contains(memory.response.status), !exchange.body.isSpent {
            originChannel.input.consume(length)
            throw EngineFailure(
                .origin, .wait, status: 502, "responded \(memory.response.status)", kind: .declined)
        }
        if isTunnel && !exchange.way.asksForUpgrade {
            throw .lost(origin.pool.plan.address, .wait, "switched protocols without being asked")
        }
        if isTunnel, !originChannel.isStream {
            guard
                exchange.request.acceptsWebSocket(
                    memory.response, originChannel.inputBytes, isStream: clientChannel.isStream)
            else {
                throw .lost(
                    origin.pool.plan.address, .wait,
                    "gave a wrong Sec-WebSocket-Accept: what responded is no WebSocket server (RFC 6455 4.1)")
            }
        }
        // HTTP/1.0 knows no interim responses (RFC 9110 15.2).
        let isWanted = !isInterim || exchange.request.head.version != .http10
        if !isInterim && !memory.requestPump.isFinished && exchange.request.head.expectsContinue
            && memory.requestPump.count == 0
        {
            // The client got a final response before 100 Continue: whether it still sends its body is unknown.
            exchange.client.mustClose = true
        }
        let status = exchange.way.edits?.plan.status(for: memory.response.status) ?? memory.response.status
        if !isInterim, exchange.wantsGates, let stream = MessageStream(of: memory.response, originChannel.inputBytes) {
            exchange.openGates(stream)
        }
        let rewriter = isWanted ? makeBodyRewriter(from: originChannel.inputBytes) : nil
        let outgoing = OutgoingResponse(
            exchange: exchange, memory: memory, use: use, status: status, isBodyRewritten: rewriter != nil,
            isFromStream: originChannel.isStream)
        if isWanted {
            var fits = outgoing.append(from: originChannel.inputBytes)
            if !fits, clientChannel.isStream {
                // A stream's output is small at first.
                clientChannel.output.removeAll()
                clientChannel.reserveOutput(Limits.bufferSize)
                fits = outgoing.append(from: originChannel.inputBytes)
            }
            if !fits {
                clientChannel.output.removeAll()
                clientChannel.output.grow(by: length + Limits.bufferSize)
                fits = outgoing.append(from: originChannel.inputBytes)
            }
            guard fits else {
                // The output was empty before, so it holds this head alone.
                clientChannel.output.removeAll()
                throw .lost(origin.pool.plan.address, .wait, "sent a head too long to be passed on")
            }
            if memory.response.names.contains(.location), let redirects = use.redirects { try check(redirects, status) }
        }
        if !isInterim, memory.response.status >= 300 {
            noteAdvice()
        }
        if !isInterim, exchange.way.token != nil || exchange.request.head.names.contains(.authorization) { noteToken() }
        let kind = contentKind
        if isTunnel || !isInterim && kind == .events { exchange.isLasting = true }
        let links =
            isInterim || kind != .page || outgoing.dropsBody ? nil : makeLinkCount(from: originChannel.inputBytes)
        if status != memory.response.status { exchange.metrics.changes.insert(.status) }
        if !isInterim {
            if exchange.binding.isBound || memory.response.status == 401 || memory.response.status == 407 {
                exchange.binding.note(memory.response, originChannel.inputBytes, of: exchange.client)
            }
            exchange.metrics.didRespond(status, memory.response.version)
            if kind == .calls {
                exchange.metrics.callStatus = BodyPump.callStatus(memory.response.fields, originChannel.inputBytes)
            }
            exchange.didAnswer()
        }
        let isKept =
            !isInterim
            && exchange.way.keeper?.begin(memory.response, originChannel.inputBytes, use, exchange) ?? false
        if !isInterim, let recording = exchange.recording {
            if exchange.way.staleAge == nil {
                recording.add(.originResponse, originChannel.inputBytes.extracting(0..<length))
            }
            recording.add(.clientResponse, clientChannel.output.unsafeBytes)
            if let stream = MessageStream(of: memory.response, originChannel.inputBytes) {
                recording.beginMessages(stream)
                if exchange.gates != nil { recording.openGates() }
            }
        }
        if !isInterim {
            memory.isEndless = exchange.way.isUntimed || kind == .events || kind == .calls
            if memory.response.names.contains(.keepAlive) { memory.idleTime = keepAliveTime }
        }
        let lesson = isInterim ? nil : makeLesson(isKept: isKept)
        originChannel.input.consume(length)
        if isInterim {
            if memory.response.status == 100 { hasInvitedBody = true }
            if isWanted { clientChannel.didWriteInterimHead() }
            return false
        }
        if !memory.requestPump.isFinished, !isTunnel {
            exchange.holdEnd(of: status, hasLength: memory.response.names.contains(.contentLength))
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
        if isTunnel {
            exchange.client.mustClose = true
            memory.requestPump.begin(
                .tunnel, .identity, rewriter: (exchange.gates?.request).map { BodyRewriter($0) })
            exchange.isWebSocket = true
            memory.requestPump.record(.request, to: exchange.recording)
        }
        return true
    }

    private func makeLesson(isKept: Bool) -> TokenLesson? {
        guard let teacher = use.teacher else { return nil }
        return TokenLesson(
            teacher, memory.response, originChannel.inputBytes, of: exchange, isKept ? exchange.way.keeper : nil)
    }

    /// Leaves the response for a second attempt with another token, once, where the request can be sent again.
    @inline(never)
    private func refuse(_ token: FetchedToken, _ length: Int) throws(EngineFailure) {
        let isAnother = use.token?.token.refuse(token, now: exchange.state.core.now) ?? false
        guard isAnother, !exchange.way.isTokenRenewed, !exchange.body.isSpent else { return }
        originChannel.input.consume(length)
        throw EngineFailure(.origin, .wait, status: 401, "the token was refused", kind: .unauthorized)
    }

    private enum ContentKind {
        case page, events, calls, other
    }

    private var contentKind: ContentKind {
        guard let type = memory.response.field(.contentType) else { return .other }
        let bytes = originChannel.inputBytes.extracting(type.value)
        if MessageStream.isEventStream(bytes) { return .events }
        if bytes.begins(with: "application/grpc") { return .calls }
        return AddressCount.isPage(bytes) ? .page : .other
    }

    /// A second less than the origin keeps the connection for, since it may end it while a request is on its way.
    private var keepAliveTime: UInt64 {
        guard let field = memory.response.fields.first(where: { $0.id == .keepAlive }) else { return .max }
        for parameter in String(originChannel.inputBytes.extracting(field.value)).split(separator: ",") {
            let parts = parameter.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\t" } }
            guard parts.count == 2, parts[0].lowercased() == "timeout", let seconds = UInt64(parts[1]) else { continue }
            return seconds == 0
                ? 0
                : (seconds - 1).multipliedReportingOverflow(by: Limits.second).overflow
                    ? .max : (seconds - 1) * Limits.second
        }
        return .max
    }

    private func check(_ redirects: RedirectGuard, _ status: Int) throws(EngineFailure) {
        do throws(EngineFailure) {
            try checkRedirect(redirects, status)
        } catch {
            clientChannel.output.removeAll()
            throw error
        }
    }
}
