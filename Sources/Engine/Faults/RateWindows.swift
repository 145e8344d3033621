import HTTP
import Profiles
import Reactor
import Synchronization

/// How many requests each client of a rate limit has sent in its present window.
///
/// Shared by all threads.
final class RateWindows: Sendable {
    /// Which limit they are of: that of a route as it is written, in a profile.
    struct Key: Hashable {
        let profile: String
        let route: Int
        /// Among the faults of the route.
        let index: Int
    }

    private struct Window {
        var end: Instant
        var count = 0
    }

    /// What a request has left.
    struct Remainder {
        let requests: Int
        /// Nanoseconds until the next window.
        let time: UInt64
        let isOver: Bool
    }

    private static let maxClients = 10_000
    /// By the hash of what is counted together: values of fields may be long, and secret.
    private let windows = Mutex<[Int: Window]>([:])

    /// Counts a request.
    func take(_ counted: Int, _ limit: RateLimit, now: Instant) -> Remainder {
        windows.withLock { windows in
            var window = windows[counted] ?? Window(end: 0)
            if window.end <= now { window = Window(end: now.after(limit.window)) }
            let isOver = window.count >= limit.limit
            if !isOver { window.count += 1 }
            if windows[counted] == nil, windows.count >= Self.maxClients { Self.makeRoom(in: &windows, now) }
            windows[counted] = window
            return Remainder(requests: limit.limit - window.count, time: window.end - now, isOver: isOver)
        }
    }

    private static func makeRoom(in windows: inout [Int: Window], _ now: Instant) {
        windows = windows.filter { $0.value.end > now }
        if windows.count >= maxClients, let first = windows.min(by: { $0.value.end < $1.value.end }) {
            windows[first.key] = nil
        }
    }
}

extension RateLimit {
    /// What its requests are counted by.
    func counted(in exchange: ClientExchange) -> Int {
        var hasher = Hasher()
        switch counted {
        case .session, .everyone: break
        case .client: hasher.combine(exchange.client.peer?.bytes)
        case .field(let name):
            for value in RequestView(exchange.client, exchange.request, scenarios: nil).fields(name) {
                hasher.combine(value)
            }
        }
        return hasher.finalize()
    }

    /// The field lines that tell a client what it has left.
    /// - Parameter now: seconds since 1970.
    func lines(_ left: RateWindows.Remainder, now: Int64) -> [UInt8] {
        let seconds = Int64(clamping: (left.time + 999_999_999) / 1_000_000_000)
        var lines: [UInt8] = []
        if fields != .none {
            let reset = fields == .prefixed ? now + seconds : seconds
            let name = fields.rawValue
            lines +=
                "\(name)-Limit: \(limit)\r\n\(name)-Remaining: \(left.requests)\r\n\(name)-Reset: \(reset)\r\n".utf8
        }
        guard left.isOver else { return lines }
        switch retryAfter {
        case .none: break
        case .seconds: lines += "Retry-After: \(seconds)\r\n".utf8
        case .date:
            lines += "Retry-After: ".utf8
            // The clock has whole seconds, so that up to one of them has passed.
            HTTPDate.append(now + seconds + 1, to: &lines)
            lines += "\r\n".utf8
        }
        return lines
    }
}
