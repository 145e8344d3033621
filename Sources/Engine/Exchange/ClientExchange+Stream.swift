import HTTP
import Reactor

// A stream of HTTP/2 has an exchange of its own, which serves another stream when it is over.
extension ClientExchange: LoopTask {
    func begin(on stream: StreamChannel, of connected: ConnectedClient) {
        client.begin(stream, of: connected)
        request.received.take(stream)
        stream.connection.users += 1
        metrics.begin(now: state.core.now)
    }

    func run() async {
        repeat {
            guard let stream = client.channel as? StreamChannel else { break }
            await serve(stream)
            stream.close()
            stream.connection.users -= 1
            if stream.connection.users == 0 { stream.connection.wake() }
            client.endStream()
            release()
        } while await nextStream()
        client.waiter.retire()
    }

    private func nextStream() async -> Bool {
        guard !state.isDraining, state.resting.keep(self) else { return false }
        while !client.channel.isStream {
            client.waiter.deadline = .never
            await client.waiter.park()
            if state.isDraining || state.isAborting { return client.channel.isStream }
        }
        return true
    }

    private func serve(_ stream: StreamChannel) async {
        do throws(HTTPFailure) {
            if try request.received.read(stream, state) {
                try request.takeSessionLabel(state, of: stream)
                forgetRoute()
                return await serve()
            }
        } catch {
            return await refuse(.unreadable(error, state.limits))
        }
        await refuse(
            EngineFailure(
                .client, .head, status: 431,
                "the request's head is longer than the limit of \(state.limits.headBytes) bytes",
                advice: state.limits.advice(on: .headTooLong)))
    }
}
