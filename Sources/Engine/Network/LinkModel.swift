package import Profiles
package import Reactor
import Synchronization

/// When bytes may leave a link and when they arrive, by the arithmetic of its conditions alone.
///
/// All connections of a client share one link: the bandwidth is theirs together. Confined to ``Link``.
package struct LinkModel {
    package enum Direction: Sendable { case down, up }

    /// The way of some bytes.
    package struct Passage: Equatable {
        /// When the link has sent them and may take others.
        package let leaves: Instant
        /// When the other end has them.
        package let arrives: Instant
    }

    /// Time for which one connection may be ahead of the link, so that a late timer costs no bandwidth.
    package static let horizon: UInt64 = 25_000_000
    /// What is sent in one piece takes so long, so that connections take turns.
    private static let turn: UInt64 = 5_000_000
    private static let largest = 64 << 10

    package let conditions: NetworkConditions
    /// When each direction has sent all that it took.
    private var downIsFree: Instant = 0
    private var upIsFree: Instant = 0
    private var chance: MockChance
    private var timetable: OutageTimetable?

    /// - Parameter turn: which of several with the same seed it is.
    package init(_ conditions: NetworkConditions, begins: Instant = 0, turn: UInt64 = 0) {
        self.conditions = conditions
        chance = MockChance(seed: conditions.seed, turn: turn)
        timetable = conditions.outages.map { OutageTimetable($0, seed: conditions.seed, begins: begins) }
    }

    /// Sends so many bytes, behind all that were sent before.
    package mutating func pass(_ count: Int, _ direction: Direction, now: Instant) -> Passage {
        let leaves: Instant
        switch direction {
        case .down:
            downIsFree = max(now, downIsFree).after(time(for: count, at: conditions.down))
            leaves = downIsFree
        case .up:
            upIsFree = max(now, upIsFree).after(time(for: count, at: conditions.up))
            leaves = upIsFree
        }
        return Passage(leaves: leaves, arrives: leaves.after(oneWay() + stall(for: count)))
    }

    private func time(for count: Int, at rate: UInt64?) -> UInt64 {
        guard let rate else { return 0 }
        return UInt64(count) * 8_000_000_000 / rate
    }

    /// The time from one end to the other, which varies.
    package mutating func oneWay() -> UInt64 {
        let (half, jitter) = (Double(conditions.latency) / 2, Double(conditions.jitter) / 2)
        guard jitter > 0 else { return conditions.latency / 2 }
        return UInt64(max(0, half + jitter * deviation()))
    }

    /// In units of the jitter.
    private mutating func deviation() -> Double {
        switch conditions.distribution {
        case .uniform: return 2 * chance.fraction() - 1
        case .normal:
            // The sum of twelve even numbers is as good as normal.
            var sum = -6.0
            for _ in 0..<12 { sum += chance.fraction() }
            return sum
        case .pareto: return min(1 / (1 - chance.fraction()).squareRoot() - 1, 20)
        }
    }

    /// How long lost packets hold back these bytes and all behind them.
    private mutating func stall(for count: Int) -> UInt64 {
        guard conditions.loss > 0 else { return 0 }
        let packets = (count + NetworkConditions.packet - 1) / NetworkConditions.packet
        for _ in 0..<packets where chance.fraction() < Double(conditions.loss) / 1_000_000 {
            return conditions.stallTime
        }
        return 0
    }

    /// Now, or the end of an outage.
    package mutating func opens(now: Instant) -> Instant {
        conditions.cut == .hang ? .never : timetable?.opens(now: now) ?? now
    }

    /// How many bytes are sent in one piece.
    package func piece(_ direction: Direction) -> Int {
        guard let rate = direction == .down ? conditions.down : conditions.up else { return Self.largest }
        return Self.bytes(in: Self.turn, at: rate, NetworkConditions.packet...Self.largest)
    }

    /// Bytes of one connection that may be on their way.
    package func window(_ direction: Direction) -> Int {
        guard let rate = direction == .down ? conditions.down : conditions.up else { return 4 << 20 }
        let time = conditions.latency + 4 * conditions.jitter + conditions.stallTime + Self.horizon
        return Self.bytes(in: time, at: rate, 4 * piece(direction)...8 << 20)
    }

    /// How many bytes a rate brings within a time, as far as that lies within limits; the product is no UInt64.
    private static func bytes(in time: UInt64, at rate: UInt64, _ limits: ClosedRange<Int>) -> Int {
        let bytes = Double(rate) / 8 * (Double(time) / 1_000_000_000)
        return Int(min(max(bytes, Double(limits.lowerBound)), Double(limits.upperBound)))
    }
}

/// When nothing passes; the same for the same seed.
///
/// Time is divided into blocks with draws of their own, so that after a long pause nothing in between is drawn.
struct OutageTimetable {
    /// The longest outages and the longest times between them that a block has room for.
    private static let blockSize: UInt64 = 64

    private let outages: NetworkConditions.Outages
    private let seed: UInt64
    private let begins: Instant
    private let block: UInt64
    private var number: UInt64 = 0
    private var chance: MockChance
    /// The outage that is next, or the present one.
    private var first: Instant
    private var last: Instant

    init(_ outages: NetworkConditions.Outages, seed: UInt64, begins: Instant) {
        self.outages = outages
        (self.seed, self.begins) = (seed, begins)
        let cycle = Instant(0).after(outages.every.upperBound).after(outages.lasting.upperBound)
        let (block, isTooLong) = cycle.multipliedReportingOverflow(by: Self.blockSize)
        self.block = isTooLong ? .max : max(block, 1)
        chance = MockChance(seed: seed, turn: 1)
        first = begins
        last = begins
        advance()
    }

    private mutating func advance() {
        first = last.after(chance.number(from: outages.every.lowerBound, through: outages.every.upperBound))
        last = first.after(chance.number(from: outages.lasting.lowerBound, through: outages.lasting.upperBound))
    }

    mutating func opens(now: Instant) -> Instant {
        let number = now > begins ? (now - begins) / block : 0
        if number != self.number, last <= now {
            self.number = number
            chance = MockChance(seed: seed, turn: number + 1)
            last = begins + number * block
            advance()
        }
        while last <= now { advance() }
        return now < first ? now : last
    }
}

/// The link of one client, which all its connections share, whichever workers serve them.
final class Link: Sendable {
    let conditions: NetworkConditions
    private let model: Mutex<LinkModel>

    init(_ conditions: NetworkConditions, begins: Instant) {
        self.conditions = conditions
        model = Mutex(LinkModel(conditions, begins: begins))
    }

    func with<R>(_ body: (inout LinkModel) -> R) -> R { model.withLock { body(&$0) } }
}
