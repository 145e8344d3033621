import Bytes
import Exchanges
import HTTP
import Profiles
import Reactor
import Rewriting

/// The head and the body pumps of a relay, which keep their memory from one request to the next.
final class RelayMemory {
    private let head = Box(ResponseHead())
    private let upwards: Box<BodyPump>
    private let downwards: Box<BodyPump>
    /// Why the head that is arriving has to be repaired.
    var fault: HTTPFailure?
    /// How many bytes of it have been looked at.
    var scannedCount = 0
    /// The stage that a parked task waits for, and its time limit.
    fileprivate var awaited: (limit: UInt64, stage: EngineFailure.Stage) = (0, .send)
    /// When ``progress`` last changed.
    fileprivate var progressTime: Instant = 0
    fileprivate var progress = RelayProgress()
    /// The response may be silent for any time: events, a call of gRPC, or what a debugger may have stopped.
    var isEndless = false
    /// How long the origin keeps its connection, as it says, in nanoseconds.
    var idleTime = UInt64.max
    /// The log has a line about the limit that this exchange comes near to.
    fileprivate var hasWarned = false

    init(_ limits: Limits) {
        upwards = Box(BodyPump(limits))
        downwards = Box(BodyPump(limits))
    }

    var response: ResponseHead {
        // Not a getter: that would copy the head.
        _read { yield head.value }
        _modify { yield &head.value }
    }

    var requestPump: BodyPump {
        _read { yield upwards.value }
        _modify { yield &upwards.value }
    }

    var responsePump: BodyPump {
        _read { yield downwards.value }
        _modify { yield &downwards.value }
    }
}

/// Counts that change as long as the exchange makes progress.
private struct RelayProgress: Equatable {
    var body: UInt64 = 0
    var unsent = 0
    var hasResponse = false
}

/// One request on its way to an origin and the response on its way back, both at once, in one task.
///
/// Each turn does all that can be done without blocking; when nothing moves the task parks until a socket changes or
/// the deadline of the present phase comes.
struct OriginRelay: ~Copyable {
    /// Turns, and steps of a turn, without a pause before other connections get theirs: about a megabyte.
    private static let maxTurns = 4
    private static let maxSteps = 4
    /// Of a longer body the system acknowledges by itself, since it fills segments.
    private static let maxAcknowledged: UInt64 = 64 << 10

    /// What the next turn waits for.
    private enum Pause {
        case none, yield, park, discard
    }

    let exchange: ClientExchange
    let memory: RelayMemory
    let origin: OriginConnection
    let clientChannel: Channel
    let originChannel: Channel
    let use: OriginUse
    /// Says when the chain's next candidate is to be asked; nil for the last one.
    let step: ChainStep?
    /// The head of the final response was read.
    var hasResponse = false
    /// All of the request's body is buffered.
    let canRepeatBody: Bool
    /// The origin takes no more of the request; it may still have responded.
    private(set) var isRequestBroken = false
    /// The origin did not take all bytes of the last turn.
    private(set) var isOriginFull = false
    /// The client did not take all bytes of the last turn.
    private var isClientFull = false
    /// The origin has asked for the request's body (100 Continue).
    var hasInvitedBody = false
    /// All of the request is sent.
    private var isRequestSent = false
    /// Bytes have arrived from the origin.
    var hasReceived = false
    private var hasEndedRequest = false
    private var hasEndedResponse = false
    private var turns = 0
    private var pause = Pause.none

    /// Begins with a request whose head lies in the connection's output.
    init(_ exchange: ClientExchange, _ origin: OriginConnection, _ use: OriginUse, _ step: ChainStep?) {
        self.exchange = exchange
        memory = exchange.relayMemory
        self.origin = origin
        clientChannel = exchange.client.channel
        originChannel = origin.channel
        self.use = use
        self.step = step
        canRepeatBody = exchange.body.isBuffered
        memory.progressTime = exchange.state.core.now
        memory.progress = RelayProgress()
        (memory.isEndless, memory.idleTime, memory.hasWarned) = (false, .max, false)
    }

    var limits: Limits { exchange.state.limits }

    /// The time that the origin has to respond, where another response can take the place of its own.
    var patience: ChainStep.Patience? { hasResponse ? nil : step?.patience }

    mutating func run() async throws(EngineFailure) {
        while true {
            try advance()
            switch pause {
            case .none: return
            case .yield: await exchange.client.waiter.yield()
            case .park:
                if exchange.messages.isWaiting { pause = .yield } else { await exchange.client.waiter.park() }
                if exchange.messages.isWaiting { try await exchange.messages.tend(to: use, isTunnel: isTunnel, memory) }
            case .discard: return await discardRest()
            }
        }
    }

    /// Does all that can be done without waiting, and sets ``pause``.
    @inline(never)
    private mutating func advance() throws(EngineFailure) {
        if pause != .none && exchange.state.isAborting { throw .aborted }
        if pause == .park && exchange.client.waiter.isExpired {
            guard warnsBeforeEnd else { throw expired(memory.awaited.stage, memory.awaited.limit) }
            warn()
        }
        if pause == .park && exchange.state.hasCuts && exchange.isCutOff { throw .cutOff(origin.pool.plan.address) }
        if pause == .park && exchange.isEnded { throw .switched }
        if exchange.isLasting, exchange.gates == nil, exchange.state.breakpoints?.watchMessages == true {
            watchMessages()
        }
        while true {
            var hasMoved = try pushRequest()
            if try exchange.way.effects.changesState ? pullResponseWithEffects() : pullResponse() { hasMoved = true }
            if isDone {
                pause = finish()
                return
            }
            if exchange.injection != nil, putIn() { hasMoved = true }
            guard hasMoved else { break }
            turns += 1
            if exchange.state.isAborting { throw .aborted }
            if turns % Self.maxTurns == 0 {
                pause = .yield
                return
            }
        }
        // It may have been reset before this exchange began to wait, and no event would report that. A tunnel that has
        // ended both ways at the client looks the same, and may still have bytes for the origin.
        if !hasEndedResponse, clientChannel.isBroken { throw .clientLeft("the connection was reset") }
        let awaited = phase
        // As long as bytes are on their way to it, it may be about to read them.
        if !isTunnel, awaited.stage != .deliver, clientChannel.hasPeerLeft { throw .clientClosed }
        memory.awaited = awaited
        if memory.progress != progress { (memory.progressTime, memory.progress) = (exchange.state.core.now, progress) }
        // The time to respond runs from the request's end, regardless of interim responses; on a second connection it
        // starts again.
        let start =
            awaited.stage == .wait ? exchange.metrics.clock.waitStart : memory.progressTime
        exchange.client.waiter.deadline = start.after(awaited.limit)
        if warns(of: awaited.limit) {
            let warning = start.after(awaited.limit / 2)
            if warning > exchange.state.core.now { exchange.client.waiter.deadline = warning } else { warn() }
        }
        if let patience {
            exchange.client.waiter.deadline = min(exchange.client.waiter.deadline, patience.until)
        }
        // Many servers for development write head and body apart, without TCP_NODELAY: the body would come 40 ms later.
        if hasReceived, awaitsBeginning { originChannel.acknowledge() }
        // Many may wait at once, and memory that others have just used is still in the caches.
        clientChannel.releaseBuffers()
        originChannel.releaseBuffers()
        if hasResponse, clientChannel.isStream { exchange.request.received.shrink(exchange.state) }
        pause = .park
    }

    /// Notes how many bytes have passed, and whether they were changed; no more will pass.
    func end() {
        exchange.metrics.bytes.request = memory.requestPump.count
        exchange.metrics.bytes.response = memory.responsePump.count
        if let status = memory.responsePump.callStatus { exchange.metrics.callStatus = status }
        if memory.responsePump.hasChanged { exchange.metrics.changes.insert(.body) }
        if memory.responsePump.hasInjected { exchange.metrics.changes.insert(.injection) }
        if let editing = memory.responsePump.editing { exchange.metrics.changes.note(editing) }
        if let links = memory.responsePump.links { OriginResponse.note(links, of: use, in: exchange) }
        exchange.gates?.note(&exchange.metrics.changes)
        if memory.responsePump.isIrregular { exchange.metrics.note(ofOrigin: "chunks whose lines end wrongly") }
        memory.requestPump.end()
        memory.responsePump.end()
    }

    /// Moves what can be moved of a body at once.
    ///
    /// - Returns: whether it waits for room in the sink.
    private static func move(
        _ pump: inout BodyPump, from source: Channel, to sink: Channel, _ hasMoved: inout Bool
    ) throws(BodyPump.Failure) -> Bool {
        for _ in 0..<maxSteps {
            switch try pump.step(from: source, to: sink) {
            case .moved: hasMoved = true
            case .needsOutput: return true
            case .needsInput, .finished: return false
            }
        }
        return false
    }

    // MARK: The request

    private mutating func pushRequest() throws(EngineFailure) -> Bool {
        guard !isRequestBroken, !isRequestSent else { return false }
        var hasMoved = false
        isOriginFull = false
        do throws(BodyPump.Failure) {
            isOriginFull = try Self.move(&memory.requestPump, from: clientChannel, to: originChannel, &hasMoved)
        } catch {
            switch error {
            case .sink, .unreadable: isRequestBroken = true
            case .source(let failure): throw .clientLeft(failure.message)
            case .malformed(let failure):
                if isTunnel { throw .clientLeft(failure.reason) }
                throw EngineFailure(.client, .send, status: 400, failure.reason)
            }
        }
        if hasMoved, !canRepeatBody { exchange.body.isSpent = true }
        do throws(ChannelFailure) {
            if try originChannel.flush() && !isRequestBroken && memory.requestPump.isFinished {
                exchange.metrics.clock.didSendRequest(now: exchange.state.core.now)
                if !isTunnel {
                    isRequestSent = true
                } else if !hasEndedRequest {
                    hasEndedRequest = true
                    originChannel.finishWriting()
                    return true
                }
            }
        } catch {
            isRequestBroken = true
        }
        return hasMoved
    }

    // MARK: The response

    private mutating func pullResponse() throws(EngineFailure) -> Bool {
        var hasMoved = false
        if !hasResponse {
            try flushClient()
            hasMoved = try readHead()
            // The tunnel's bytes follow the request.
            if isTunnel { isRequestSent = false }
            guard hasResponse else {
                try flushClient()
                return hasMoved
            }
        }
        isClientFull = false
        do throws(BodyPump.Failure) {
            isClientFull = try Self.move(&memory.responsePump, from: originChannel, to: clientChannel, &hasMoved)
        } catch {
            switch error {
            case .sink(let failure): throw .clientLeft(failure.message)
            case .unreadable(let failure):
                throw .lost(
                    origin.pool.plan.address, .receive, "sent a response that cannot be rewritten: \(failure.reason)")
            case .source(let failure):
                throw .lost(origin.pool.plan.address, .receive, "broke off its response: \(failure.message)")
            case .malformed(let failure):
                let what = failure.kind == .truncated ? "broke off its response" : "sent a faulty response"
                throw .lost(origin.pool.plan.address, .receive, "\(what): \(failure.reason)")
            }
        }
        try flushClient()
        if isTunnel, hasResponse, memory.responsePump.isFinished, !hasEndedResponse, clientChannel.isFlushed {
            hasEndedResponse = true
            clientChannel.finishWriting()
            return true
        }
        return hasMoved
    }

    /// The same where the end of the response changes the state of a scenario; a tunnel has no other end than its head.
    @inline(never)
    private mutating func pullResponseWithEffects() throws(EngineFailure) -> Bool {
        var hasMoved = false
        var failure: EngineFailure?
        let effects = exchange.way.effects.list
        let isSent = try? Scenarios.change(by: effects) { () throws(ChannelFailure) in
            do throws(EngineFailure) { hasMoved = try pullResponse() } catch {
                failure = error
                return false
            }
            return hasResponse && clientChannel.isFlushed && (memory.responsePump.isFinished || isTunnel)
        }
        if let failure { throw failure }
        if isSent == true { exchange.effects.removeAll() }
        return hasMoved
    }

    private func flushClient() throws(EngineFailure) {
        do throws(ChannelFailure) {
            _ = try clientChannel.flush()
        } catch {
            throw .clientLeft(error.message)
        }
    }

    /// The rest of the head, or of the first part of the body, has not come yet.
    private var awaitsBeginning: Bool {
        guard hasResponse else { return true }
        return !isTunnel && !memory.responsePump.isFinished && memory.responsePump.count < Self.maxAcknowledged
    }

    // MARK: The end

    var isTunnel: Bool { hasResponse && memory.response.framing == .tunnel }

    /// Whether request and response are complete.
    private var isDone: Bool {
        guard hasResponse, memory.responsePump.isFinished, clientChannel.isFlushed else { return false }
        return !isTunnel || (hasEndedRequest && hasEndedResponse) || isRequestBroken
    }

    /// Gives the origin's connection back to its pool, or ends it.
    private func giveBack() {
        let isClean =
            memory.requestPump.isFinished && !isRequestBroken && !isTunnel && memory.response.keepAlive
            && !originChannel.hasEnded && !memory.responsePump.isIrregular
            && originChannel.input.isEmpty && originChannel.isFlushed && memory.response.framing != .untilClose
        if isClean && !originChannel.isStream && origin.isUsable(sure: false) {
            if exchange.binding.isBound {
                exchange.binding.keep(origin, of: exchange.client)
            } else {
                origin.pool.give(origin, exchange.state, idleTime: memory.idleTime)
            }
        } else {
            origin.close()
        }
    }

    /// Bytes of a body that is not passed on, and how long they may take.
    private static let maxDiscarded: UInt64 = 64 << 10
    private static let discardTime = Limits.second

    /// Reads the body of a response that is not passed on, so that the connection can serve other requests.
    ///
    /// - Parameter waits: else what has come has to be all.
    @inline(never)
    mutating func discardResponse(waits: Bool) async {
        guard !originChannel.isStream, memory.requestPump.isFinished else { return origin.close() }
        memory.responsePump.begin(memory.response.framing, .discard)
        exchange.client.waiter.deadline = exchange.state.core.now.after(Self.discardTime)
        while !memory.responsePump.isFinished, memory.responsePump.count <= Self.maxDiscarded {
            let step = try? memory.responsePump.step(from: originChannel, to: clientChannel)
            switch step {
            case .moved?, .finished?: continue
            case .needsInput? where waits && !exchange.client.waiter.isExpired && !exchange.state.isAborting:
                await exchange.client.waiter.park()
            case .needsInput?, .needsOutput?, nil: return origin.close()
            }
        }
        if memory.responsePump.isFinished { giveBack() } else { origin.close() }
        memory.responsePump.end()
    }

    /// Returns the next pause.
    private func finish() -> Pause {
        giveBack()
        // The response came before the request's end: the client may not read it while it cannot send the rest.
        if !memory.requestPump.isFinished && !exchange.client.mustClose && !isTunnel {
            return .discard
        }
        clientChannel.stopReading()
        return .none
    }

    @inline(never)
    private func discardRest() async {
        // Exclusive access to the stored pump would last over the wait.
        var rest = BodyPump(limits)
        swap(&rest, &memory.requestPump)
        rest.discardRest()
        await exchange.client.discard(&rest)
        swap(&rest, &memory.requestPump)
        clientChannel.stopReading()
    }

    private var phase: (limit: UInt64, stage: EngineFailure.Stage) {
        if exchange.gates?.isHolding == true { return (.max, isTunnel ? .deliver : .receive) }
        if isTunnel { return (limits.tunnelTime, .deliver) }
        if !clientChannel.isFlushed || isClientFull {
            return (clientChannel.isHeld ? .max : limits.bodyTime, .deliver)
        }
        if hasResponse { return (memory.isEndless ? limits.localBodyTime : limits.bodyTime, .receive) }
        let isUntimed = exchange.way.isUntimed
        let ownTime = isUntimed ? limits.localResponseTime : limits.responseTime
        let isOriginsTurn = memory.requestPump.isFinished || waitsForInvitation
        if isOriginsTurn && originChannel.isFlushed {
            return (min(ownTime, step?.fallback?.timeout ?? .max), .wait)
        }
        // A call of gRPC may be silent in either direction, and an origin that is stopped takes nothing.
        let isEndless = exchange.request.received.isGRPC || isUntimed && (isOriginFull || !originChannel.isFlushed)
        return (isEndless ? limits.localBodyTime : limits.bodyTime, .send)
    }

    // MARK: The limit that comes near

    /// Limits that are shorter are for tests and for those who know them.
    private static let shortest = 20 * Limits.second

    private func warns(of limit: UInt64) -> Bool {
        !memory.hasWarned && limit >= Self.shortest && limit != .max && exchange.state.didStall != nil
    }

    /// What has expired is the first half of the limit.
    private var warnsBeforeEnd: Bool {
        let (limit, stage) = memory.awaited
        guard warns(of: limit), patience.map({ exchange.state.core.now < $0.until }) ?? true else { return false }
        let start = stage == .wait ? exchange.metrics.clock.waitStart : memory.progressTime
        return exchange.state.core.now < start.after(limit)
    }

    private func warn() {
        memory.hasWarned = true
        let (limit, stage) = memory.awaited
        let failure = expired(stage, limit)
        var running = ExchangeReport(metrics: exchange.metrics, client: exchange.client).exchange
        running.failure = Exchange.Failure(
            side: failure.side.rawValue, stage: failure.stage.rawValue,
            message: "nothing has moved for \(limit / 2 / Limits.second) s, and after "
                + "\(limit / Limits.second) s it will end: \(failure.message)"
                + (failure.advice.map { "; \($0)" } ?? ""))
        exchange.state.didStall?(running)
    }

    /// The client holds its body back until the origin asks for it (RFC 9110 10.1.1).
    private var waitsForInvitation: Bool {
        exchange.request.head.expectsContinue && !hasInvitedBody && memory.requestPump.count == 0
    }

    private var progress: RelayProgress {
        // Interim responses do not count as progress, or an origin could keep an exchange alive by repeating them.
        RelayProgress(
            body: memory.requestPump.count &+ memory.responsePump.count,
            unsent: originChannel.unsentCount + (hasResponse ? clientChannel.unsentCount : 0), hasResponse: hasResponse)
    }
}
