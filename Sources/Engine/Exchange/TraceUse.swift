import Bytes
import Exchanges
import HTTP
import Reactor

/// The trace of the present exchange: read from the request or begun, with a span for each attempt at an origin.
///
/// Confined to its worker.
final class TraceUse {
    /// The client's span; nil where the trace begins here.
    let parent: UInt64?
    /// The exchange's own span is ``span``; each attempt sends its own.
    let trace: TraceParent.TraceID
    let span: UInt64
    let flags: UInt8
    /// What becomes of the client's fields `tracestate`.
    let state: TraceState
    private(set) var attempts: [Exchange.Trace.Attempt] = []
    private var isOpen = false

    private init(_ received: TraceParent?, _ state: TraceState, _ numbers: inout TraceNumbers) {
        parent = received?.span
        span = numbers.span()
        if let received {
            (trace, flags) = (received.trace, received.flags)
        } else {
            trace = numbers.trace()
            flags = numbers.isSampled(trace) ? 1 : 0
        }
        self.state = state
    }

    /// Reads the fields of a request; begins another trace where they are missing or faulty (W3C Trace Context 4.3).
    static func begin(_ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ numbers: inout TraceNumbers) -> TraceUse {
        guard head.names.contains(.traceparent) else { return TraceUse(nil, .faulty, &numbers) }
        // Of several fields none is to be believed.
        var values = head.fields.lazy.filter { $0.id == .traceparent }.map(\.value).makeIterator()
        guard let value = values.next(), values.next() == nil, let received = TraceParent(bytes.extracting(value))
        else {
            return TraceUse(nil, .faulty, &numbers)
        }
        guard head.names.contains(.tracestate) else { return TraceUse(received, .whole, &numbers) }
        let states = head.fields.lazy.filter { $0.id == .tracestate }.map(\.value)
        return TraceUse(received, TraceState.judge(bytes, states), &numbers)
    }

    /// An origin is asked; what was asked before has failed.
    func beginAttempt(at origin: String, after elapsed: UInt64, _ numbers: inout TraceNumbers) {
        endAttempt(after: elapsed, failure: "origin.stale")
        attempts.append(Exchange.Trace.Attempt(span: numbers.span(), origin: origin, start: elapsed))
        isOpen = true
    }

    /// The last attempt has failed, unless it is over already.
    func endAttempt(after elapsed: UInt64, failure: String) {
        guard isOpen, !attempts.isEmpty else { return }
        isOpen = false
        attempts[attempts.count - 1].end = elapsed
        attempts[attempts.count - 1].failure = failure
    }

    /// What the present attempt sends.
    var sent: TraceParent { TraceParent(trace: trace, span: attempts.last?.span ?? span, flags: flags) }

    /// All that is known of it now; an attempt that is under way ends so long after the start.
    func facts(after elapsed: UInt64, failure: EngineFailure?) -> Exchange.Trace {
        var facts = Exchange.Trace(id: trace, span: span, parent: parent, isSampled: flags & 1 == 1)
        facts.attempts = attempts
        if isOpen, !attempts.isEmpty {
            facts.attempts[attempts.count - 1].end = elapsed
            facts.attempts[attempts.count - 1].failure = failure?.place
        }
        return facts
    }
}

extension EngineFailure {
    /// Whose fault it was and where, in a word.
    var place: String { kind.isDeclined ? "origin.status" : "\(side.rawValue).\(stage.rawValue)" }
}

/// Makes numbers for traces and spans: many, different, and not secret.
struct TraceNumbers {
    private var numbers = SplitMix64(seed: .random(in: .min ... .max))
    /// Of traces that begin here, the share that is recorded, as a bound for the last 63 bits of their numbers.
    private let bound: UInt64

    init(_ sampling: TraceSampling) { bound = sampling.bound }

    mutating func span() -> UInt64 {
        while true {
            let number = numbers.next()
            if number != 0 { return number }
        }
    }

    mutating func trace() -> TraceParent.TraceID {
        while true {
            if let trace = TraceParent.TraceID(high: span(), low: span()) { return trace }
        }
    }

    func isSampled(_ trace: TraceParent.TraceID) -> Bool { trace.low &>> 1 < bound }
}

/// Which of the traces that begin here are recorded; those of clients say so themselves.
public struct TraceSampling: Sendable {
    fileprivate let bound: UInt64

    /// - Parameter share: from 0, none, to 1, all of them.
    public init(share: Double = 1) {
        bound = share >= 1 ? 1 << 63 : UInt64(max(0, share) * 0x1p63)
    }
}
