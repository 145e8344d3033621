import Bytes
import HTTP
import Reactor
import Store

/// The beginning of a body that was read ahead, so that it can be examined or sent again.
struct BufferedBody {
    /// Without framing, from the first byte on.
    var bytes: [UInt8] = []
    /// The state of the decoder after the bytes that were read.
    var decoder: BodyDecoder
    /// Nothing follows ``bytes``.
    var isComplete = false
    /// The trailer section with its empty line, in which the decoder's trailers lie; empty for none.
    var trailers: [UInt8] = []
    /// The bytes are others than those that came.
    var isChanged = false
    /// The memory that it takes.
    let memory: HeldMemory

    init(_ framing: BodyFraming, _ held: HeldBodies) {
        decoder = BodyDecoder(framing)
        memory = HeldMemory(held)
    }

    /// Bodies that are no longer are held always, so that commands and most requests work while others take all.
    private static let small = 4 << 10

    /// Makes room for more bytes, at most `max` in all; false where all held bodies together take too much.
    mutating func makeRoom(for count: Int, max: Int) -> Bool {
        let needed = bytes.count + count
        let known = memory.count
        if needed <= known { return true }
        for size in [min(max, 2 * known), needed]
        where size >= needed && memory.grow(by: size - known, always: size <= Self.small) {
            bytes.reserveCapacity(size)
            return true
        }
        return false
    }
}

/// The body of the present request, as far as it was read ahead.
final class RequestBody {
    let client: Client
    private let request: Request
    private(set) var buffered: BufferedBody?
    /// Bytes of it were sent to an origin and not kept: the request cannot be sent a second time.
    var isSpent = false
    /// Bytes of it were taken from the client: it can no longer be read from its beginning.
    private(set) var hasBegun = false

    init(_ client: Client, _ request: Request) {
        self.client = client
        self.request = request
    }

    /// All of it is kept: it can be sent as often as needed.
    var isBuffered: Bool { buffered?.isComplete == true }

    /// The part that was sent did not count; it comes first again.
    func takeBack(_ sent: BufferedBody) {
        buffered = sent
        isSpent = false
    }

    /// Other content takes the place of all of it, which was read ahead; trailers stay.
    func replace(by content: [UInt8]) {
        hasBegun = true
        guard !content.isEmpty || buffered?.trailers.isEmpty == false else { return release() }
        var body = buffered.take() ?? BufferedBody(.none, client.state.held)
        _ = body.memory.grow(by: max(0, content.count - body.memory.count), always: true)
        (body.bytes, body.isComplete, body.isChanged) = (content, true, true)
        buffered = body
    }

    /// Another request begins.
    func begin() { (isSpent, hasBegun) = (false, false) }

    /// Its bytes are read from now on, by the caller.
    func takeOver() { hasBegun = true }

    func release() { if buffered != nil { buffered = nil } }

    /// Reads the body ahead, up to `max` bytes; a body with a longer Content-Length is not read.
    ///
    /// ``buffered`` has it afterwards, complete or not. A client that waits for 100 Continue gets it.
    /// - Parameters:
    ///   - limit: nanoseconds for all of it; nil lets it go on while it makes progress.
    ///   - mayStream: the rest may be read later, where held bodies take too much memory; else that is a failure.
    ///   - isExact: returns with `max` bytes, without waiting for what follows them.
    func buffer(
        max: Int, within limit: UInt64? = nil, mayStream: Bool = false, isExact: Bool = false, _ recording: Recording?
    ) async throws(EngineFailure) {
        guard request.head.framing != .none else { return }
        // A chain may have kept less than its guard has to examine.
        if let buffered, buffered.isComplete || buffered.bytes.count >= max { return }
        var size = max
        if case .length(let length) = request.head.framing {
            if length > UInt64(Swift.max(0, max)) { return }
            size = Int(length)
        }
        hasBegun = true
        if buffered == nil, request.head.expectsContinue {
            guard await client.inviteBody() else { throw .clientLeft("it did not take the response 100 Continue") }
        }
        // The object's own copy is nil meanwhile, so that appending does not copy.
        var buffered = buffered.take() ?? BufferedBody(request.head.framing, client.state.held)
        defer { self.buffered = buffered }
        let core = client.state.core
        let bodyTime = client.state.limits.bodyTime
        client.waiter.deadline = core.now.after(limit ?? bodyTime)
        while true {
            switch try nextPiece(&buffered.decoder) {
            case .framing(let count): client.channel.input.consume(count)
            case .trailers(let count):
                buffered.trailers = Array(client.channel.input.unsafeBytes[..<count])
                recording?.add(.requestTrailers, buffered.trailers.span)
                _ = buffered.memory.grow(by: count, always: true)
                client.channel.input.consume(count)
            case .data(let count):
                let used = min(count, max - buffered.bytes.count)
                guard used > 0 else { return }
                guard buffered.makeRoom(for: used, max: size) else {
                    if mayStream { return }
                    throw .heldTooMuch(client.state.held)
                }
                let bytes = UnsafeRawBufferPointer(rebasing: client.channel.input.unsafeBytes[..<used])
                recording?.add(.request, bytes)
                buffered.bytes.append(contentsOf: bytes)
                client.channel.input.consume(used)
                buffered.decoder.advance(used)
                if isExact, buffered.bytes.count == max { return }
                if limit == nil { client.waiter.deadline = core.now.after(bodyTime) }
            case .end:
                buffered.isComplete = true
                return
            case .needMore: try await fill(&buffered.decoder, within: limit ?? bodyTime)
            }
        }
    }

    private func nextPiece(_ decoder: inout BodyDecoder) throws(EngineFailure) -> BodyDecoder.Piece {
        let client = client
        do throws(HTTPFailure) {
            return try decoder.next(client.inputBytes)
        } catch {
            throw EngineFailure(.client, .send, status: 400, error.reason)
        }
    }

    private func fill(_ decoder: inout BodyDecoder, within limit: UInt64) async throws(EngineFailure) {
        let outcome: ReadOutcome
        do throws(ChannelFailure) {
            outcome = try client.channel.fill()
        } catch {
            throw .clientLeft(error.message)
        }
        switch outcome {
        case .bytes: return
        case .end where request.head.framing == .stream: try end(&decoder)
        case .end: throw .clientLeft("the connection was closed before the end of the request's body")
        case .wouldBlock:
            if client.state.isAborting { throw .aborted }
            if client.waiter.isExpired {
                throw EngineFailure(
                    .client, .send, status: 408, "the request's body stood still for \(limit / Limits.second) s")
            }
            await client.waiter.park()
        }
    }

    private func end(_ decoder: inout BodyDecoder) throws(EngineFailure) {
        do throws(HTTPFailure) {
            if client.channel.takeTrailers() { decoder.beginTrailers() } else { try decoder.endOfInput() }
        } catch {
            throw EngineFailure(.client, .send, status: 400, error.reason)
        }
    }
}

extension RequestBody {
    /// What may be done on the loop at once: about a millisecond for 64 KiB.
    static let shortWork = 64 << 10

    /// Does work whose time depends on what a client has sent: on a thread of its own if it is long, so that the other
    /// clients of this worker need not wait.
    ///
    /// - Parameter size: bytes to go through, times how often.
    func perform<Result: Sendable>(
        size: Int, _ work: @escaping @Sendable () -> Result
    ) async throws(EngineFailure) -> Result {
        guard size > Self.shortWork else { return work() }
        let state = client.state
        // The exchange may end before the work does, which still uses the body's memory.
        let memory = buffered?.memory
        let deadline = client.waiter.deadline
        defer { client.waiter.deadline = deadline }
        client.waiter.deadline = .never
        let result = await state.threads.result(on: client.waiter) { withExtendedLifetime(memory, work) }
        if let result { return result }
        if state.isAborting { throw .aborted }
        if client.waiter.isCancelled { throw .clientLeft("the connection was closed while its request was examined") }
        throw EngineFailure(
            .proxy, .route, status: 503, "too many long requests wait to be examined",
            advice: "Send it again when others are through.")
    }
}
