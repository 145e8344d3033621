import Engine
import Profiles
import Reactor
import Testing

/// The arithmetic of a link: when bytes leave and when they arrive.
@Suite struct LinkModelTests {
    private static let second: UInt64 = 1_000_000_000
    private static let begin: UInt64 = 1000 * second

    private static func model(_ change: (inout NetworkConditions) -> Void) -> LinkModel {
        var conditions = NetworkConditions(name: "test")
        change(&conditions)
        return LinkModel(conditions, begins: begin)
    }

    @Test(arguments: [50_000, 240_000, 1_000_000, 20_000_000, 100_000_000] as [UInt64])
    func `a backlog leaves at the rate that was asked for, in pieces of any size`(rate: UInt64) {
        var model = Self.model { ($0.down, $0.up) = (rate, rate * 2) }
        var (down, up, bytes) = (Self.begin, Self.begin, 0)
        for count in [1, 1460, 64 << 10, 17, 4096] + Array(repeating: model.piece(.down), count: 200) {
            let passage = model.pass(count, .down, now: Self.begin)
            #expect(passage.arrives == passage.leaves)
            down = passage.leaves
            up = model.pass(count, .up, now: Self.begin).leaves
            bytes += count
        }
        let expected = Double(bytes) * 8e9 / Double(rate)
        let (downRatio, upRatio) = (Double(down - Self.begin) / expected, Double(up - Self.begin) / expected)
        #expect(abs(downRatio - 1) < 0.001)
        #expect(abs(upRatio - 0.5) < 0.001)
    }

    @Test func `a link that was idle does not make up for it`() {
        var model = Self.model { $0.down = 8000 }
        #expect(model.pass(1000, .down, now: Self.begin).leaves == Self.begin + Self.second)
        let later = Self.begin + 100 * Self.second
        #expect(model.pass(1000, .down, now: later).leaves == later + Self.second)
    }

    @Test func `the greatest figures that a profile may have are within what is computed`() {
        let minute = 60 * Self.second
        var model = Self.model {
            ($0.latency, $0.jitter, $0.stall, $0.setup) = (minute, minute, minute, minute)
            ($0.down, $0.up, $0.loss, $0.distribution) = (10_000_000_000, 10_000_000_000, 500_000, .pareto)
        }
        #expect(model.window(.down) == 8 << 20 && model.window(.up) == 8 << 20)
        #expect(model.piece(.down) == 64 << 10)
        let last = (0..<1000).map { _ in model.pass(64 << 10, .down, now: .never - 1).arrives }
        #expect(last.allSatisfy { $0 == .never })
        let slow = Self.model { ($0.down, $0.latency) = (1000, 10 * Self.second) }
        #expect(slow.window(.down) == 4 * NetworkConditions.packet && slow.piece(.down) == NetworkConditions.packet)
    }

    @Test func `each direction has half of the latency`() {
        var model = Self.model { $0.latency = 300_000_000 }
        #expect(model.pass(1, .up, now: Self.begin).arrives == Self.begin + 150_000_000)
        #expect(model.pass(1 << 20, .down, now: Self.begin).arrives == Self.begin + 150_000_000)
    }

    @Test(arguments: NetworkConditions.Distribution.allCases)
    func `jitter has the shape and the width that were asked for, and is the same for a seed`(
        distribution: NetworkConditions.Distribution
    ) {
        func delays(_ seed: UInt64) -> [Double] {
            var model = Self.model {
                ($0.latency, $0.jitter, $0.seed) = (200_000_000, 40_000_000, seed)
                $0.distribution = distribution
            }
            return (0..<4000).map { _ in Double(model.oneWay()) / 1e6 - 100 }
        }
        let all = delays(7)
        #expect(all == delays(7) && all != delays(8))
        let mean = all.reduce(0, +) / Double(all.count)
        let spread = (all.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(all.count)).squareRoot()
        switch distribution {
        case .uniform:
            #expect(all.allSatisfy { abs($0) <= 20.001 } && abs(mean) < 1 && abs(spread - 11.5) < 1)
        case .normal: #expect(abs(mean) < 1 && abs(spread - 20) < 1)
        case .pareto:
            let median = all.sorted()[2000]
            #expect(all.allSatisfy { $0 >= -0.001 && $0 <= 400 } && median < 10 && (all.max() ?? 0) > 100)
        }
    }

    @Test func `the share of lost packets stalls, and nothing else`() {
        var model = Self.model { ($0.loss, $0.stall) = (100_000, 500_000_000) }
        let stalls = (0..<10_000).map { _ in model.pass(100, .down, now: Self.begin).arrives - Self.begin }
        #expect(Set(stalls) == [0, 500_000_000])
        #expect(abs(stalls.count { $0 > 0 } - 1000) < 150)
        // A piece of many packets is more likely to have lost one.
        let long = (0..<1000).count { _ in model.pass(1460 * 7, .down, now: Self.begin).arrives > Self.begin }
        #expect(abs(long - 522) < 80)
    }

    @Test func `a pause of years costs no more than the next outage`() {
        var outages = Self.model {
            let short: UInt64 = 1_000_000
            $0.outages = .init(every: short...short, lasting: short...short)
        }
        let now = Self.begin + 10 * 365 * 86_400 * Self.second
        let open = (0..<2000).map { outages.opens(now: now + UInt64($0) * 1000) == now + UInt64($0) * 1000 }
        #expect(open.contains(true) && open.contains(false))
    }

    @Test func `outages follow from the seed, and cover the share of time that was asked for`() {
        func open(_ seed: UInt64) -> [Bool] {
            var model = Self.model {
                $0.outages = .init(every: 10 * Self.second...20 * Self.second, lasting: Self.second...9 * Self.second)
                $0.seed = seed
            }
            return (0..<20_000).map { step in
                let now = Self.begin + UInt64(step) * Self.second / 10
                let opens = model.opens(now: now)
                #expect(opens == now || opens > now && opens <= now + 9 * Self.second)
                return opens == now
            }
        }
        let first = open(1)
        #expect(first == open(1) && first != open(2))
        // 15 s of network, 5 s without, on average.
        let share = Double(first.count { $0 }) / Double(first.count)
        #expect(abs(share - 0.75) < 0.08)
        #expect(first.prefix(100).allSatisfy { $0 })
    }

    @Test(arguments: NetworkConditions.presets)
    func `a preset lets a connection use all of its bandwidth`(preset: NetworkConditions) {
        let model = LinkModel(preset, begins: 0)
        guard let down = preset.down else { return }
        let inFlight = Double(down) / 8 * Double(preset.latency + preset.jitter) / 2e9
        #expect(Double(model.window(.down)) > inFlight)
        #expect(model.piece(.down) >= NetworkConditions.packet)
    }
}
