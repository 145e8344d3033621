import Bytes
import HTTP
import Reactor
import Traffic

extension ClientExchange {
    /// Sends an answer of our own; the request's head may still be in the input, its content is dropped.
    func answerLocally(_ answer: LocalAnswer, extra: [UInt8] = []) async {
        let isHead = request.method == .head
        // Content that nobody has asked for yet would be waited for in vain (RFC 9110 10.1.1).
        if request.expectsContinue && request.framing != .none { mustClose = true }
        channel.reserveOutput(answer.fields.count + extra.count + 256)
        let mark = channel.output.count
        var isComplete = HeadWriter.appendStatusLine(status: answer.status, to: &channel.output)
        isComplete = isComplete && channel.output.appendWhole(answer.fields) && channel.output.appendWhole(extra)
        if answer.mayHaveBody {
            isComplete =
                isComplete && HeadWriter.appendContentLength(UInt64(answer.body.count), to: &channel.output)
        }
        isComplete = isComplete && appendConnection() && channel.output.appendWhole("\r\n")
        guard isComplete else {
            mustClose = true
            return
        }
        record(answer, from: mark, isHead: isHead)
        let hasContent = answer.mayHaveBody && !isHead && !answer.body.isEmpty
        channel.didWriteHead(hasContent: hasContent)
        if hasContent {
            notes.bytes.answer = UInt64(answer.body.count)
            guard await deliver(answer.body) else { return }
        }
        if channel.isStream { channel.finishWriting() }
        guard await flushed() else { return }
        if channel.isStream {
            if request.framing != .none, held?.isComplete != true { await discardBody() }
            channel.stopReading()
        } else if headLength > 0 {
            channel.input.consume(headLength)
            headLength = 0
            if !mustClose { await discardBody() }
        }
    }

    private func record(_ answer: LocalAnswer, from mark: Int, isHead: Bool) {
        guard let recording else { return }
        recording.add(.clientAnswer, UnsafeRawBufferPointer(rebasing: channel.output.unsafeBytes[mark...]))
        if answer.mayHaveBody && !isHead { answer.body.withUnsafeBytes { recording.add(.answer, $0) } }
    }

    /// The Connection field where it says more than HTTP/1.1 does without it.
    func appendConnection() -> Bool {
        if mustClose { return channel.output.appendWhole("Connection: close\r\n") }
        if request.version == .http10 { return channel.output.appendWhole("Connection: keep-alive\r\n") }
        return true
    }

    /// Writes all of `bytes` behind the output; false when the client is gone.
    func deliver(_ bytes: [UInt8]) async -> Bool {
        var sent = 0
        while sent < bytes.count {
            channel.reserveOutput(min(bytes.count - sent, 16 << 10))
            let moved = bytes.withUnsafeBytes {
                channel.output.append(UnsafeRawBufferPointer(rebasing: $0[sent...]))
            }
            sent += moved
            if sent < bytes.count {
                guard await flushed() else { return false }
            }
        }
        return true
    }

    /// Writes the output to the end; false when the client is gone or too slow.
    func flushed() async -> Bool {
        var unsent = 0
        do throws(ChannelFailure) {
            while try !channel.flush() {
                // The client may wake this by what it sends, which is no progress.
                if channel.unsentCount != unsent {
                    unsent = channel.unsentCount
                    waiter.deadline = state.core.now.after(state.limits.bodyTime)
                }
                await waiter.park()
                if waiter.isExpired || state.isAborting {
                    mustClose = true
                    return false
                }
            }
            return true
        } catch {
            mustClose = true
            return false
        }
    }

    /// Reads and drops the request's content, if it is not too long, so that the next request can be read.
    func discardBody() async {
        var pump = BodyPump(state.limits)
        pump.begin(request.framing, .discard)
        pump.record(.request, to: recording)
        await discard(&pump)
        notes.bytes.request += pump.count
    }

    private static let streamPatience = Limits.second / 4

    func discard(_ pump: inout BodyPump) async {
        let most = pump.count &+ UInt64(state.limits.discardedBody)
        // A stream can be ended without harm to the others; some clients fall silent and wait for that.
        let patience = channel.isStream ? Self.streamPatience : state.limits.headTime
        waiter.deadline = state.core.now.after(patience)
        do throws(BodyPump.Failure) {
            while pump.count <= most {
                switch try pump.step(from: channel, to: channel) {
                case .finished: return
                case .moved:
                    if channel.isStream { waiter.deadline = state.core.now.after(patience) }
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
