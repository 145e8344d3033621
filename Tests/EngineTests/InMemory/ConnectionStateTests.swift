import Engine
import Reactor
import Testing

/// The transitions of a stream's channel and of a connection to an origin, as values.
@Suite struct ConnectionStateTests {
    enum Step {
        case block, unblock, complete

        func apply(to state: inout StreamState) {
            switch self {
            case .block: state.block()
            case .unblock: _ = state.unblock()
            case .complete: state.complete()
            }
        }
    }

    @Test(
        arguments: [
            ([], .open), ([.block], .blocked), ([.block, .block], .blocked), ([.block, .unblock], .open),
            ([.unblock], .open), ([.complete], .complete), ([.complete, .complete], .complete),
            ([.block, .complete], .draining), ([.complete, .block], .draining), ([.complete, .unblock], .complete),
            ([.block, .complete, .unblock], .complete), ([.block, .complete, .complete], .draining),
            ([.complete, .block, .block, .unblock, .unblock], .complete),
        ] as [([Step], StreamState.Writing)])
    func `writing goes where each step leads`(steps: [Step], end: StreamState.Writing) {
        var state = StreamState()
        for step in steps { step.apply(to: &state) }
        #expect(state.writing == end)
        #expect(state.isBlocked == [.blocked, .draining].contains(end))
        #expect(state.isComplete == [.complete, .draining].contains(end))
    }

    @Test func `unblocking says whether the owner waited`() {
        var state = StreamState()
        let before = state.unblock()
        state.block()
        let (first, second) = (state.unblock(), state.unblock())
        #expect([before, first, second] == [false, true, false])
    }

    @Test func `reading is stopped once and closed once`() {
        var state = StreamState()
        let stops = (state.stopReading(), state.stopReading())
        #expect(stops == (true, false) && !state.isClosed)
        let ends = (state.close(), state.close(), state.stopReading())
        #expect(ends == (.stopped, nil, false) && state.reading == .closed)
        var other = StreamState()
        let end = other.close()
        #expect(end == .open && other.isClosed)
    }

    @Test func `a connection to an origin is leased, rests, sleeps and is leased again`() {
        var state = OriginConnectionState.leased
        let early = state.sleep()
        #expect(!early && state == .leased && state.expiry == nil)
        state.rest(until: 7)
        #expect(state == .resting(until: 7) && state.expiry == 7 && !state.isAsleep)
        let sleeps = (state.sleep(), state.sleep())
        #expect(sleeps == (true, false) && state == .asleep(until: 7) && state.isAsleep && state.expiry == 7)
        state.lease()
        state.rest(until: 9)
        state.lease()
        state.close()
        let late = state.sleep()
        #expect(!late && state == .closed && state.expiry == nil)
        state.lease()
        #expect(state == .leased)
    }
}
