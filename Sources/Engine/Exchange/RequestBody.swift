import Bytes
import HTTP
import Reactor

/// A request's content, read ahead so that it can be looked at or sent again.
struct HeldContent {
    /// Without framing, from the first byte on.
    var bytes: [UInt8] = []
    /// Where the content goes on in the input.
    var decoder: BodyDecoder
    /// Nothing follows ``bytes``.
    var isComplete = false

    init(_ framing: BodyFraming) { decoder = BodyDecoder(framing) }
}

extension ClientExchange {
    /// Reads the request's content ahead, up to `most` bytes; what is announced to be longer is left alone.
    ///
    /// ``held`` has it afterwards, complete or not. The client is told to go on where it waits for that.
    func hold(most: Int) async throws(EngineFailure) {
        guard request.framing != .none else { return }
        // A chain may have held less than its guard wants to look at.
        if let held, held.isComplete || held.bytes.count >= most { return }
        if case .length(let length) = request.framing, length > UInt64(max(0, most)) { return }
        detachHead()
        if held == nil, request.expectsContinue {
            channel.reserveOutput()
            _ = channel.output.appendWhole("HTTP/1.1 100 Continue\r\n\r\n")
            channel.didWriteInterimHead()
            guard await flushed() else { throw .clientLeft("it did not take the answer 100 Continue") }
        }
        var held = held ?? HeldContent(request.framing)
        waiter.deadline = state.core.now.after(state.limits.bodyTime)
        while true {
            switch try nextPiece(&held.decoder) {
            case .framing(let count), .trailers(let count): channel.input.consume(count)
            case .data(let count):
                let used = min(count, most - held.bytes.count)
                guard used > 0 else {
                    self.held = held
                    return
                }
                let bytes = UnsafeRawBufferPointer(rebasing: channel.input.unsafeBytes[..<used])
                recording?.add(.request, bytes)
                held.bytes.append(contentsOf: bytes)
                channel.input.consume(used)
                held.decoder.advance(used)
                waiter.deadline = state.core.now.after(state.limits.bodyTime)
            case .end:
                held.isComplete = true
                self.held = held
                return
            case .needMore: try await fillForHolding(&held.decoder)
            }
        }
    }

    private func nextPiece(_ decoder: inout BodyDecoder) throws(EngineFailure) -> BodyDecoder.Piece {
        do throws(HTTPFailure) {
            return try decoder.next(inputBytes)
        } catch {
            throw EngineFailure(.client, .send, status: 400, error.reason)
        }
    }

    private func endHolding(_ decoder: inout BodyDecoder) throws(EngineFailure) {
        do throws(HTTPFailure) {
            if channel.takeTrailers() { decoder.beginTrailers() } else { try decoder.endOfInput() }
        } catch {
            throw EngineFailure(.client, .send, status: 400, error.reason)
        }
    }

    private func fillForHolding(_ decoder: inout BodyDecoder) async throws(EngineFailure) {
        let outcome: ReadOutcome
        do throws(ChannelFailure) {
            outcome = try channel.fill()
        } catch {
            throw .clientLeft(error.message)
        }
        switch outcome {
        case .bytes: return
        case .end where request.framing == .stream: try endHolding(&decoder)
        case .end: throw .clientLeft("the connection was closed before the end of the request's content")
        case .wouldBlock:
            if state.isAborting { throw .aborted }
            if waiter.isExpired {
                throw EngineFailure(
                    .client, .send, status: 408,
                    "the request's content stood still for \(state.limits.bodyTime / Limits.second) s")
            }
            await waiter.park()
        }
    }
}
