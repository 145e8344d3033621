public import Exchanges
import Synchronization

/// Counts exchanges for monitoring, by profile, route and responder.
///
/// The number of series is bounded: behind ``maxSeries`` of them, new ones count as `other`, until some have had no
/// exchange for ``staleTime`` and make room: profiles that are read anew may bring other names for ever. Shared by all
/// threads.
public final class ExchangeMeters: ExchangeObserver {
    /// How many combinations of profile, route and responder have a series of their own.
    public static let maxSeries = 1000
    /// Microseconds.
    public static let staleTime: Int64 = 3600 * 1_000_000
    /// Microseconds between two looks for series that make room.
    private static let sweepTime: Int64 = 10 * 1_000_000

    private struct Key: Hashable {
        var profile: String
        var route: String
        var responder: String

        static let other = Key(profile: "other", route: "other", responder: "other")

        var labels: [(name: String, value: String)] {
            [("profile", profile), ("route", route), ("responder", responder)]
        }
    }

    private struct Series {
        /// By the status' first digit; 0 where no response was sent.
        var statuses = [UInt64](repeating: 0, count: 10)
        var durations = Histogram()
        /// Microseconds since 1970.
        var lastUse: Int64 = 0
    }

    private struct Fault: Hashable {
        var side: String
        var stage: String
    }

    private struct State {
        var series: [Key: Series] = [:]
        var nextSweep: Int64 = 0
        var faults: [Fault: UInt64] = [:]
        var bytes = Exchange.ByteCounts()
        var retries: UInt64 = 0
        var unverified: UInt64 = 0
        var unlocked: UInt64 = 0
        /// Exchanges that used a connection to an origin, by whether it had served before.
        var reused: (no: UInt64, yes: UInt64) = (0, 0)
    }

    private let state = Mutex(State())
    private let next: (any ExchangeObserver)?

    /// - Parameter next: is told of each exchange, too.
    public init(next: (any ExchangeObserver)?) { self.next = next }

    public func exchangeEnded(_ exchange: Exchange) {
        let key = Key(
            profile: exchange.profile ?? "", route: exchange.route ?? "", responder: exchange.responder ?? "none")
        state.withLock { state in
            let end = exchange.startedAt &+ Int64(clamping: exchange.timings.total)
            Self.count(exchange, end, as: Self.seat(key, at: end, &state), &state)
            if let failure = exchange.failure {
                state.faults[Fault(side: failure.side, stage: failure.stage), default: 0] += 1
            }
            state.bytes.request &+= exchange.bytes.request
            state.bytes.response &+= exchange.bytes.response
            state.retries &+= UInt64(clamping: exchange.retries)
            if exchange.isUnlocked { state.unlocked += 1 }
            guard let origin = exchange.origin, origin.address != nil else { return }
            if origin.trust == "disabled" { state.unverified += 1 }
            if origin.isReused { state.reused.yes += 1 } else { state.reused.no += 1 }
        }
        next?.exchangeEnded(exchange)
    }

    /// The series that counts for a key.
    private static func seat(_ key: Key, at time: Int64, _ state: inout State) -> Key {
        if state.series.count < maxSeries || state.series[key] != nil { return key }
        guard time >= state.nextSweep else { return .other }
        state.nextSweep = time &+ sweepTime
        state.series = state.series.filter { $0.key == .other || $0.value.lastUse > time &- staleTime }
        return state.series.count < maxSeries ? key : .other
    }

    private static func count(_ exchange: borrowing Exchange, _ end: Int64, as key: Key, _ state: inout State) {
        func add(_ series: inout Series) {
            series.statuses[min(9, max(0, exchange.status ?? 0) / 100)] += 1
            series.durations.add(exchange.timings.total)
            series.lastUse = max(series.lastUse, end)
        }
        add(&state.series[key, default: Series()])
    }

    /// Writes all of them.
    public func write(to text: inout PrometheusText) {
        let state = state.withLock { $0 }
        let series = state.series.sorted {
            ($0.key.profile, $0.key.route, $0.key.responder) < ($1.key.profile, $1.key.route, $1.key.responder)
        }
        text.begin("shunt_exchanges_total", .counter, "Exchanges that have ended.")
        for (key, one) in series {
            for (digit, count) in one.statuses.enumerated() where count > 0 {
                let status = digit == 0 ? "none" : "\(digit)xx"
                text.sample("shunt_exchanges_total", key.labels + [("status", status)], "\(count)")
            }
        }
        text.begin(
            "shunt_exchange_duration_seconds", .histogram,
            "From a request's first byte to the end of its response.")
        for (key, one) in series { Self.write(one.durations, key.labels, to: &text) }
        text.begin("shunt_exchange_failures_total", .counter, "Exchanges that failed, by whose fault and where.")
        for (fault, count) in state.faults.sorted(by: { ($0.key.side, $0.key.stage) < ($1.key.side, $1.key.stage) }) {
            text.sample("shunt_exchange_failures_total", [("side", fault.side), ("stage", fault.stage)], "\(count)")
        }
        text.begin("shunt_body_bytes_total", .counter, "Bytes of bodies, without heads and framing.")
        text.sample("shunt_body_bytes_total", [("direction", "request")], "\(state.bytes.request)")
        text.sample("shunt_body_bytes_total", [("direction", "response")], "\(state.bytes.response)")
        text.begin(
            "shunt_origin_requests_total", .counter, "Requests to origins, by whether the connection was reused.")
        text.sample("shunt_origin_requests_total", [("reused", "false")], "\(state.reused.no)")
        text.sample("shunt_origin_requests_total", [("reused", "true")], "\(state.reused.yes)")
        text.single(
            "shunt_origin_retries_total", .counter, "Attempts on connections that the origin had closed.",
            state.retries)
        text.single(
            "shunt_unverified_exchanges_total", .counter,
            "Exchanges with an origin whose certificate was not verified.",
            state.unverified)
        text.single(
            "shunt_unlocked_exchanges_total", .counter,
            "Exchanges that may have changed production, while it was unlocked.",
            state.unlocked)
    }

    private static func write(
        _ durations: Histogram, _ labels: [(name: String, value: String)], to text: inout PrometheusText
    ) {
        let name = "shunt_exchange_duration_seconds"
        for (bound, count) in durations.cumulative {
            text.sample("\(name)_bucket", labels + [("le", PrometheusText.seconds(bound))], "\(count)")
        }
        text.sample("\(name)_bucket", labels + [("le", "+Inf")], "\(durations.count)")
        text.sample("\(name)_sum", labels, PrometheusText.seconds(durations.sum))
        text.sample("\(name)_count", labels, "\(durations.count)")
    }
}
