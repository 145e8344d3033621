import Bytes
import HTTP
import Reactor
import Traffic

extension ClientExchange {
    /// Sends an answer whose content is made meanwhile, chunked or up to the connection's end.
    ///
    /// The request's content has been read. The stream is over in any case when this returns.
    func send(_ handled: HandledAnswer, _ stream: HandledStream) async {
        defer { stream.cancel() }
        let isChunked = !channel.isStream && request.version != .http10
        if !isChunked { mustClose = true }
        channel.reserveOutput(handled.fieldLines.count + 256)
        let mark = channel.output.count
        var isComplete = HeadWriter.appendStatusLine(status: handled.status, to: &channel.output)
        isComplete = isComplete && channel.output.appendWhole(handled.fieldLines)
        if isChunked { isComplete = isComplete && channel.output.appendWhole("Transfer-Encoding: chunked\r\n") }
        guard isComplete, appendConnection(), channel.output.appendWhole("\r\n") else {
            mustClose = true
            return
        }
        recording?.add(.clientAnswer, UnsafeRawBufferPointer(rebasing: channel.output.unsafeBytes[mark...]))
        channel.didWriteHead(hasContent: request.method != .head)
        if request.method != .head {
            let isWhole = await sendContent(stream, isChunked: isChunked)
            guard isWhole else {
                mustClose = true
                return
            }
        }
        if channel.isStream { channel.finishWriting() }
        _ = await flushed()
    }

    /// False if the content is incomplete, which the connection's end has to tell.
    private func sendContent(_ stream: HandledStream, isChunked: Bool) async -> Bool {
        let wake = waiter.remoteWake
        while true {
            // A client that does not read has only so much time, however often the stream calls.
            guard await flushed() else { return false }
            // Between this and the wait nothing may suspend, or a wake-up could be lost.
            switch stream.take(whenChanged: wake) {
            case .bytes(let bytes): guard await send(bytes, isChunked: isChunked) else { return false }
            case .end: return isChunked ? await deliver(Array("0\r\n\r\n".utf8)) : true
            case .broken: return false
            case .nothing:
                if hasLeft(stream) { return false }
                if state.isDraining, stream.isEndless {
                    stream.finish()
                    continue
                }
                waiter.deadline = .never
                await waiter.park()
                if waiter.isExpired || state.isAborting { return false }
            }
        }
    }

    private func send(_ bytes: [UInt8], isChunked: Bool) async -> Bool {
        notes.bytes.answer &+= UInt64(bytes.count)
        if let recording { bytes.withUnsafeBytes { recording.add(.answer, $0) } }
        guard isChunked else { return await deliver(bytes) }
        guard await deliver(Array("\(String(bytes.count, radix: 16))\r\n".utf8)) else { return false }
        guard await deliver(bytes) else { return false }
        return await deliver([0x0D, 0x0A])
    }

    /// Whether the client has gone away; one that only says no more may still read an answer that has an end.
    private func hasLeft(_ stream: HandledStream) -> Bool {
        if channel.isStream { return channel.isBroken }
        do throws(ChannelFailure) {
            while true {
                switch try channel.fill() {
                case .bytes: continue
                case .wouldBlock: return false
                case .end: return stream.isEndless
                }
            }
        } catch {
            return true
        }
    }
}
