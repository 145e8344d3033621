import Bytes
import Exchanges
import HTTP
import Reactor
import Store

/// A response whose body is produced while it is sent, chunked or up to the connection's end.
struct StreamedResponse {
    let exchange: ClientExchange
    let handled: HandledResponse
    let stream: HandledStream
    private var client: Client { exchange.client }

    /// The request's body must have been read; the stream is over in any case when this returns.
    func send() async {
        defer { stream.cancel() }
        let request = exchange.request
        let isChunked = !client.channel.isStream && request.head.version != .http10
        if !isChunked { client.mustClose = true }
        client.channel.reserveOutput(handled.fieldLines.count + 256)
        let mark = client.channel.output.count
        var isComplete = HeadWriter.appendStatusLine(status: handled.status, to: &client.channel.output)
        isComplete = isComplete && client.channel.output.appendWhole(handled.fieldLines)
        if isChunked { isComplete = isComplete && client.channel.output.appendWhole("Transfer-Encoding: chunked\r\n") }
        guard isComplete, client.appendConnection(for: request.head.version), client.channel.output.appendWhole("\r\n")
        else {
            client.mustClose = true
            return
        }
        exchange.metrics.didRespond(handled.status)
        exchange.didAnswer()
        exchange.recording?.add(
            .clientResponse, UnsafeRawBufferPointer(rebasing: client.channel.output.unsafeBytes[mark...]))
        client.channel.didWriteHead(hasBody: request.head.method != .head)
        if request.head.method != .head {
            let isWhole = await sendBody(isChunked: isChunked)
            guard isWhole else {
                client.mustClose = true
                return
            }
        }
        if client.channel.isStream { client.channel.finishWriting() }
        _ = await client.flush()
    }

    /// Returns false if the body is incomplete; the connection then has to be closed.
    private func sendBody(isChunked: Bool) async -> Bool {
        let wake = client.waiter.remoteWake
        while true {
            // The time for a client that does not read is not extended by new bytes.
            guard await client.flush() else { return false }
            // Between this and the wait nothing may suspend, or a wake-up could be lost.
            switch stream.take(whenChanged: wake) {
            case .bytes(let bytes): guard await send(bytes, isChunked: isChunked) else { return false }
            case .end: return isChunked ? await client.deliver(Array("0\r\n\r\n".utf8)) : true
            case .broken: return false
            case .nothing:
                if hasLeft { return false }
                if exchange.state.isDraining, stream.isEndless {
                    stream.finish()
                    continue
                }
                client.waiter.deadline = .never
                await client.waiter.park()
                if client.waiter.isExpired || exchange.state.isAborting { return false }
            }
        }
    }

    private func send(_ bytes: [UInt8], isChunked: Bool) async -> Bool {
        exchange.metrics.bytes.response &+= UInt64(bytes.count)
        if let recording = exchange.recording { bytes.withUnsafeBytes { recording.add(.response, $0) } }
        guard isChunked else { return await client.deliver(bytes) }
        guard await client.deliver(Array("\(String(bytes.count, radix: 16))\r\n".utf8)) else { return false }
        guard await client.deliver(bytes) else { return false }
        return await client.deliver([0x0D, 0x0A])
    }

    /// Whether the client has gone away; a client that only closed its sending side may still read a response that has
    /// an end.
    private var hasLeft: Bool {
        if client.channel.isStream { return client.channel.isBroken }
        while let hasMore = client.channel.poll() {
            if !hasMore { return false }
        }
        return stream.isEndless || !client.channel.hasEnded
    }
}
