import Bytes
import HTTP
import Reactor

extension ClientExchange {
    /// Lets a handler answer, with the request's content read to its end first.
    func handle(with handler: any Handler) async {
        let bytes = headBytes
        let method = String(bytes.extracting(request.methodRange))
        let target = String(bytes.extracting(request.pathAndQuery))
        let authority = String(bytes.extracting(request.authority))
        let fields = request.fields.map {
            (name: String(bytes.extracting($0.name)), value: String(bytes.extracting($0.value)))
        }
        guard let body = await readBody() else {
            mustClose = true
            await answerLocally(
                .failure(
                    EngineFailure(.client, .send, status: 413, "the request's content is longer than 1 MiB, or broken"),
                    wantsHTML: false))
            endExchange(status: 413)
            return
        }
        // A client that gave up was told that nothing happened: it must not happen now.
        if !request.method.isSafe, hasClientLeft {
            mustClose = true
            return endExchange(status: 499, failure: .clientLeft("the client closed the connection"))
        }
        setHandled(true)
        defer { setHandled(false) }
        let handled = await handler.answer(
            HandledRequest(
                method: method, target: target, authority: authority, fields: fields, body: body,
                client: peer, isSecure: isSecure))
        // Those who may not ask must not keep others out by being slow to hear it.
        if handled.status >= 400 { setHandled(false) }
        if let stream = handled.stream {
            await send(handled, stream)
        } else {
            await answerLocally(
                LocalAnswer(status: handled.status, fields: handled.fieldLines, body: handled.body))
        }
        endExchange(status: handled.status)
    }

    /// Whether the client has closed its side, as far as this can be known without waiting.
    private var hasClientLeft: Bool {
        if let stream = channel as? StreamChannel {
            return stream.isBroken || stream.connection.channel.socket.readiness.pointee.isHungUp
        }
        // What ended together with the last bytes has not been told of yet.
        (channel as? SocketChannel)?.socket.readiness.pointee.isReadable = true
        do throws(ChannelFailure) {
            while true {
                switch try channel.fill() {
                case .bytes: continue
                case .wouldBlock: return channel.isBroken
                case .end: return true
                }
            }
        } catch {
            return true
        }
    }

    /// The whole content of the request, at most 1 MiB; the head leaves the input.
    private func readBody() async -> [UInt8]? {
        forgetHead()
        guard request.framing != .none else { return [] }
        if request.expectsContinue {
            channel.reserveOutput()
            guard channel.output.appendWhole("HTTP/1.1 100 Continue\r\n\r\n") else { return nil }
            channel.didWriteInterimHead()
            guard await flushed() else { return nil }
        }
        var decoder = BodyDecoder(request.framing)
        var body: [UInt8] = []
        waiter.deadline = state.core.now.after(state.limits.headTime)
        do {
            while true {
                switch try decoder.next(inputBytes) {
                case .framing(let count), .trailers(let count): channel.input.consume(count)
                case .data(let count):
                    guard body.count + count <= 1 << 20 else { return nil }
                    body.append(contentsOf: channel.input.unsafeBytes[..<count])
                    channel.input.consume(count)
                    decoder.advance(count)
                case .end: return body
                case .needMore:
                    switch try channel.fill() {
                    case .bytes: continue
                    case .end:
                        guard request.framing == .stream else { return nil }
                        if channel.takeTrailers() { decoder.beginTrailers() } else { try decoder.endOfInput() }
                    case .wouldBlock:
                        if waiter.isExpired || state.isAborting { return nil }
                        await waiter.park()
                    }
                }
            }
        } catch {
            return nil
        }
    }
}
