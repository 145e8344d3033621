import Engine
import JSON
import Platform
import Profiles

/// A server's life from its start to its exit status, as signals direct it.
struct Lifetime {
    private enum Event: Sendable {
        case signal(CInt)
        case drained
        case timeIsUp
    }

    let server: Server

    /// Serves until SIGTERM or SIGINT, then lets exchanges finish; returns the exit status.
    ///
    /// `closeReason` is called at the end for the caller's clean-up, also when a later signal ends the process at once.
    func run(_ signals: AsyncStream<CInt>, closeReason: @escaping @Sendable () -> Void = {}) async -> CInt {
        let watching = Task { await server.reloader.watch() }
        let keeping = Task { await server.keeper.watch() }
        let (events, feed) = AsyncStream.makeStream(of: Event.self)
        Task { for await signal in signals { feed.yield(.signal(signal)) } }
        var ending = EndingSignals()
        serving: for await event in events {
            switch event {
            case .signal(SIGHUP):
                if !watching.isCancelled { _ = await server.reloader.reload() }
            case .signal(let number):
                switch ending.take(number) {
                case .none: continue
                case .second:
                    server.removeFiles()
                    closeReason()
                    server.announcer.warn(.ended, "ended at once")
                    _exit(128 + number)
                case .first: break
                }
                server.willDrain()
                watching.cancel()
                keeping.cancel()
                await announceDrain()
                Task {
                    await server.proxy.drain()
                    feed.yield(.drained)
                }
                Task {
                    try? await Task.sleep(for: .nanoseconds(Int64(clamping: server.settings.drainTime)))
                    feed.yield(.timeIsUp)
                }
            case .timeIsUp:
                let count = await server.proxy.status().active
                server.announcer.warn(
                    .aborted,
                    "\(Self.exchanges(count)) did not finish within "
                        + "\(Quantity.durationText(server.settings.drainTime)) and \(count == 1 ? "is" : "are") ended",
                    ["exchanges": count])
                await server.proxy.abort()
            case .drained: break serving
            }
        }
        await server.stop()
        closeReason()
        server.announcer.tell(.stopped, "stopped")
        return 0
    }

    private func announceDrain() async {
        let count = await server.proxy.status().active
        let text = count == 0 ? "stopping" : "finishing \(Self.exchanges(count)), again to end at once"
        server.announcer.tell(.draining, text, ["exchanges": count])
    }

    private static func exchanges(_ count: Int) -> String { count == 1 ? "1 exchange" : "\(count) exchanges" }
}
