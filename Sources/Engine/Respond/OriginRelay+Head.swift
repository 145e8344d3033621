import Bytes
import HTTP
import HTTP2
import Profiles
import Reactor
import Rewriting
import Traffic

/// The head of the answer.
extension Relay {
    /// Reads an answer's head and passes it on; interim ones come before the final one (RFC 9110 15.2).
    ///
    /// True if anything came.
    mutating func readHead() throws(EngineFailure) -> Bool {
        // One head at a time: an origin may send any number of interim ones, and the client none of its attention.
        guard near.isFlushed else { return false }
        var hasMoved = false
        while true {
            if !far.input.isEmpty {
                if !hasHeard {
                    hasHeard = true
                    client.notes.firstByte = client.state.core.now
                }
                if let length = try parseHead() {
                    isAnswering = try accept(length)
                    return true
                }
            }
            let outcome: ReadOutcome
            do throws(ChannelFailure) {
                outcome = try far.fill(most: near.appetite)
            } catch {
                throw lostBeforeAnswer(error.message, isRefused: error.code == .refusedStream)
            }
            switch outcome {
            case .bytes: hasMoved = true
            case .wouldBlock: return hasMoved
            case .end: throw lostBeforeAnswer(nil)
            }
        }
    }

    private func parseHead() throws(EngineFailure) -> Int? {
        do throws(HTTPFailure) {
            let length = try client.answer.parse(
                far.inputBytes, to: client.request.method,
                limits: HeadLimits(bytes: limits.headBytes, fields: limits.fields))
            if length != nil, far.isStream { client.answer.isCarriedByStream() }
            return length
        } catch {
            throw .lost(origin.pool.plan.address, .wait, "sent a faulty answer: \(error.reason)")
        }
    }

    /// Passes the head on that was just parsed; true if it is the final one.
    private mutating func accept(_ length: Int) throws(EngineFailure) -> Bool {
        let isTunnel = client.answer.framing == .tunnel
        let isInterim = client.answer.isInformational && !isTunnel
        if let fallback = turn?.fallback, fallback.statuses.contains(client.answer.status), !client.isContentSpent {
            throw EngineFailure(
                .origin, .wait, status: 502, "answered \(client.answer.status)", kind: .declined)
        }
        if isTunnel && !client.asksForUpgrade {
            throw .lost(origin.pool.plan.address, .wait, "switched protocols without being asked")
        }
        if isTunnel, !far.isStream {
            guard client.acceptsWebSocket(far.inputBytes) else {
                throw .lost(
                    origin.pool.plan.address, .wait,
                    "gave a wrong Sec-WebSocket-Accept: what answered is no WebSocket server (RFC 6455 4.1)")
            }
        }
        // HTTP/1.0 knows no interim answers (RFC 9110 15.2).
        let isWanted = !isInterim || client.request.version != .http10
        if !isInterim && !client.up.isFinished && client.request.expectsContinue && client.up.count == 0 {
            // The client was told not to send what it asked about: whether it still will cannot be known.
            client.mustClose = true
        }
        var rewriter: BodyRewriter?
        if isWanted {
            rewriter = client.makeBodyRewriter(from: far.inputBytes, use)
            var fits = append(rewriter)
            if !fits, near.isStream {
                // What is usual was too little.
                near.output.removeAll()
                near.reserveOutput(Limits.bufferSize)
                fits = append(rewriter)
            }
            guard fits else {
                // The output was empty before, so this is all that was said.
                near.output.removeAll()
                throw .lost(origin.pool.plan.address, .wait, "sent a head too long to be passed on")
            }
            if client.answer.names.contains(.location), let redirects = use.redirects { try check(redirects) }
        }
        if !isInterim, let recording = client.recording {
            recording.add(.originAnswer, far.inputBytes.extracting(0..<length))
            recording.add(.clientAnswer, near.output.unsafeBytes)
            if let stream = client.messageStream(far.inputBytes) { recording.beginMessages(stream) }
        }
        far.input.consume(length)
        if isInterim {
            if client.answer.status == 100 { hasInvitedContent = true }
            if isWanted { near.didWriteInterimHead() }
            return false
        }
        near.didWriteHead(hasContent: client.answer.framing != .none)
        client.notes.hasAnswerBegun = true
        client.releaseDetachedHead()
        client.down.begin(
            client.answer.framing, client.answerEncoding(isRewritten: rewriter != nil), rewriter: rewriter)
        client.down.record(.answer, to: client.recording)
        if isTunnel {
            client.forgetHead()
            client.mustClose = true
            client.up.begin(.tunnel, .identity)
            client.up.record(.request, to: client.recording)
        }
        return true
    }

    private func check(_ redirects: RedirectGuard) throws(EngineFailure) {
        do throws(EngineFailure) {
            try checkRedirect(redirects)
        } catch {
            near.output.removeAll()
            throw error
        }
    }

    private func append(_ rewriter: BodyRewriter?) -> Bool {
        client.appendAnswer(from: far.inputBytes, use, isRewritten: rewriter != nil)
    }
}
