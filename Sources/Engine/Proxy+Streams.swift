import Profiles
import Reactor

extension Proxy {
    /// WebSockets and event streams that stay with a profile which is not active any more.
    public struct OldStreams: Sendable {
        public var webSockets = 0
        public var eventStreams = 0
    }

    /// Counts the streams of clients that follow the active profile, but have begun under another one.
    ///
    /// - Parameter ending: they are ended, so that their clients connect again.
    public func streams(besides active: String, ending: Bool) async -> OldStreams {
        var streams = OldStreams()
        for worker in workers {
            let more = await worker.streams(besides: active, ending: ending)
            streams.webSockets += more.webSockets
            streams.eventStreams += more.eventStreams
        }
        return streams
    }
}

extension Worker {
    fileprivate func streams(besides active: String, ending: Bool) -> Proxy.OldStreams {
        var streams = Proxy.OldStreams()
        for exchange in lasting {
            // Without an observer it is not known who has chosen the profile.
            guard exchange.metrics.reason ?? .active == .active,
                let before = exchange.request.environment?.active.profile.name, before != active
            else { continue }
            if exchange.isWebSocket { streams.webSockets += 1 } else { streams.eventStreams += 1 }
            if ending {
                exchange.isEnded = true
                exchange.client.waiter.wake()
            }
        }
        return streams
    }
}
