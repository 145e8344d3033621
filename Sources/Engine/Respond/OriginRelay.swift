import Bytes
import HTTP
import Profiles
import Reactor
import Rewriting
import Traffic

/// One request on its way to an origin and the answer on its way back, both at once, in one task.
///
/// Each turn does all that can be done without blocking; when nothing moves the task parks until a socket changes or
/// the deadline of the present phase comes. It holds what is one request's; the pumps are the exchange's, which has
/// one request after the other.
struct Relay: ~Copyable {
    /// After so many turns, of so many steps, without a pause other connections get theirs: about a megabyte.
    private static let mostTurns = 4
    private static let mostSteps = 4

    /// What has to come before the next turn.
    private enum Pause {
        case none, yield, park, discard
    }

    let client: ClientExchange
    let origin: OriginConnection
    /// Towards the client, and towards the origin.
    let near: Channel
    let far: Channel
    let use: OriginUse
    /// When the origin is to be left for another one; nil where there is none.
    let turn: Turn?
    /// The final answer's head is read.
    var isAnswering = false
    /// The request's content is held as a whole.
    let canSendAgain: Bool
    /// The origin takes no more of the request; it may have answered all the same.
    private(set) var isUpBroken = false
    /// The origin did not take all that the last turn had for it.
    private(set) var isOriginFull = false
    /// The client did not take all that the last turn had for it.
    private var isClientFull = false
    /// The origin has asked for the request's content (100 Continue).
    var hasInvitedContent = false
    /// All of the request is sent.
    private var isUpDone = false
    /// Bytes have come from the origin.
    var hasHeard = false
    private var hasEndedUp = false
    private var hasEndedDown = false
    private var turns = 0
    private var pause = Pause.none
    /// What is waited for, and how long, when the task parks.
    private var awaited: (limit: UInt64, stage: EngineFailure.Stage) = (0, .send)
    /// When anything last differed in ``progress``, and what it was then.
    private var lastProgress: (time: Instant, progress: Progress)

    /// What changes as long as an exchange does not stand still.
    private struct Progress: Equatable {
        var content: UInt64 = 0
        var unsent = 0
        var isAnswering = false
    }

    /// - Parameter far: the origin's channel, in which the request's head lies.
    init(_ client: ClientExchange, _ origin: OriginConnection, _ far: Channel, _ use: OriginUse, _ turn: Turn?) {
        canSendAgain = client.held?.isComplete == true
        near = client.channel
        self.client = client
        self.origin = origin
        self.far = far
        self.use = use
        self.turn = turn
        lastProgress = (client.state.core.now, Progress())
    }

    var limits: Limits { client.state.limits }

    mutating func run() async throws(EngineFailure) {
        while true {
            try advance()
            switch pause {
            case .none: return
            case .yield: await client.waiter.yield()
            case .park: await client.waiter.park()
            case .discard: return await discardRest()
            }
        }
    }

    /// Does all that can be done at once, and says in ``pause`` what is to be waited for.
    @inline(never)
    private mutating func advance() throws(EngineFailure) {
        if pause != .none && client.state.isAborting { throw .aborted }
        if pause == .park && client.waiter.isExpired { throw expired(awaited.stage, awaited.limit) }
        while true {
            var hasMoved = try pushUp()
            if try pullDown() { hasMoved = true }
            if isDone {
                pause = finish()
                return
            }
            guard hasMoved else { break }
            turns += 1
            if client.state.isAborting { throw .aborted }
            if turns % Self.mostTurns == 0 {
                pause = .yield
                return
            }
        }
        // It may have been reset before this exchange came to wait: then nothing would wake us. A tunnel that has
        // ended both ways at the client looks the same, and may still have bytes for the origin.
        if !hasEndedDown, near.isBroken { throw .clientLeft("the connection was reset") }
        awaited = phase
        if lastProgress.progress != progress { lastProgress = (client.state.core.now, progress) }
        // The time to answer runs from the request's end, whatever interim answers come meanwhile; on a second
        // connection it begins anew.
        let start =
            awaited.stage == .wait ? max(client.notes.sendEnd, client.notes.sendStart) : lastProgress.time
        client.waiter.deadline = start.after(awaited.limit)
        // Many may wait at once, and memory that others have just used is warm.
        near.releaseBuffers()
        far.releaseBuffers()
        pause = .park
    }

    /// Writes down how much has passed, and whether it was changed; nothing more will pass.
    func end() {
        (client.notes.bytes.request, client.notes.bytes.answer) = (client.up.count, client.down.count)
        if client.down.hasChanged { client.notes.changes.insert(.body) }
        client.up.end()
        client.down.end()
    }

    // MARK: The request

    private mutating func pushUp() throws(EngineFailure) -> Bool {
        guard !isUpBroken, !isUpDone else { return false }
        var hasMoved = false
        isOriginFull = false
        do throws(BodyPump.Failure) {
            stepping: for _ in 0..<Self.mostSteps {
                switch try client.up.step(from: near, to: far) {
                case .moved:
                    hasMoved = true
                    if !canSendAgain { client.isContentSpent = true }
                case .needsOutput:
                    isOriginFull = true
                    break stepping
                case .needsInput, .finished: break stepping
                }
            }
        } catch {
            switch error {
            case .sink, .unreadable: isUpBroken = true
            case .source(let failure): throw .clientLeft(failure.message)
            case .malformed(let failure):
                if isTunnel { throw .clientLeft(failure.reason) }
                throw EngineFailure(.client, .send, status: 400, failure.reason)
            }
        }
        do throws(ChannelFailure) {
            if try far.flush() && !isUpBroken && client.up.isFinished {
                if client.notes.sendEnd == 0 { client.notes.sendEnd = client.state.core.now }
                if !isTunnel {
                    isUpDone = true
                } else if !hasEndedUp {
                    hasEndedUp = true
                    far.finishWriting()
                    return true
                }
            }
        } catch {
            isUpBroken = true
        }
        return hasMoved
    }

    // MARK: The answer

    private mutating func pullDown() throws(EngineFailure) -> Bool {
        var hasMoved = false
        if !isAnswering {
            try flushClient()
            hasMoved = try readHead()
            // What the client says now goes on, too.
            if isTunnel { isUpDone = false }
            guard isAnswering else {
                try flushClient()
                return hasMoved
            }
        }
        isClientFull = false
        do throws(BodyPump.Failure) {
            stepping: for _ in 0..<Self.mostSteps {
                switch try client.down.step(from: far, to: near) {
                case .moved: hasMoved = true
                case .needsOutput:
                    isClientFull = true
                    break stepping
                case .needsInput, .finished: break stepping
                }
            }
        } catch {
            switch error {
            case .sink(let failure): throw .clientLeft(failure.message)
            case .unreadable(let failure):
                throw .lost(
                    origin.pool.plan.address, .receive, "sent an answer that cannot be rewritten: \(failure.reason)")
            case .source(let failure):
                throw .lost(origin.pool.plan.address, .receive, "broke off its answer: \(failure.message)")
            case .malformed(let failure):
                let what = failure.kind == .truncated ? "broke off its answer" : "sent a faulty answer"
                throw .lost(origin.pool.plan.address, .receive, "\(what): \(failure.reason)")
            }
        }
        try flushClient()
        if isTunnel, isAnswering, client.down.isFinished, !hasEndedDown, near.isFlushed {
            hasEndedDown = true
            near.finishWriting()
            return true
        }
        return hasMoved
    }

    private func flushClient() throws(EngineFailure) {
        do throws(ChannelFailure) {
            _ = try near.flush()
        } catch {
            throw .clientLeft(error.message)
        }
    }

    // MARK: The end

    private var isTunnel: Bool { isAnswering && client.answer.framing == .tunnel }

    /// Whether all is said.
    private var isDone: Bool {
        guard isAnswering, client.down.isFinished, near.isFlushed else { return false }
        return !isTunnel || (hasEndedUp && hasEndedDown) || isUpBroken
    }

    /// Gives the origin's connection back to its pool, or ends it.
    ///
    /// Returns what is left to do.
    private func finish() -> Pause {
        let isClean =
            client.up.isFinished && !isUpBroken && !isTunnel && client.answer.keepAlive && !far.hasEnded
            && far.input.isEmpty && far.isFlushed && client.answer.framing != .untilClose
        if isClean && !far.isStream && origin.isUsable(sure: false) {
            origin.pool.give(origin, client.state)
        } else {
            origin.close()
        }
        client.forgetHead()
        // The answer came before the request's end: read the rest, or the client may never read the answer.
        if !client.up.isFinished && !client.mustClose && !isTunnel {
            return .discard
        }
        near.stopReading()
        return .none
    }

    @inline(never)
    private func discardRest() async {
        // Not in its place: nobody else may touch that while it is waited for.
        var rest = BodyPump(limits)
        swap(&rest, &client.up)
        rest.discardRest()
        await client.discard(&rest)
        swap(&rest, &client.up)
        near.stopReading()
    }

    private var phase: (limit: UInt64, stage: EngineFailure.Stage) {
        if isTunnel { return (limits.tunnelTime, .deliver) }
        if !near.isFlushed || isClientFull { return (limits.bodyTime, .deliver) }
        if isAnswering { return (limits.bodyTime, .receive) }
        let answerTime = min(limits.answerTime, turn?.fallback?.timeout ?? .max)
        let isOriginsTurn = client.up.isFinished || waitsForInvitation
        return isOriginsTurn && far.isFlushed ? (answerTime, .wait) : (limits.bodyTime, .send)
    }

    /// The client holds its content back until the origin asks for it (RFC 9110 10.1.1).
    private var waitsForInvitation: Bool {
        client.request.expectsContinue && !hasInvitedContent && client.up.count == 0
    }

    private var progress: Progress {
        // Interim answers are none, or an origin that repeats them could keep a request alive that stands still.
        Progress(
            content: client.up.count &+ client.down.count,
            unsent: far.unsentCount + (isAnswering ? near.unsentCount : 0), isAnswering: isAnswering)
    }
}
