/// What the network between a client and Shunt is like.
public struct NetworkConditions: Hashable, Sendable {
    /// How latency varies around its figure.
    public enum Distribution: String, Hashable, Sendable, CaseIterable {
        /// Evenly, by at most the jitter.
        case uniform
        /// With the jitter as standard deviation.
        case normal
        /// Only upwards: mostly by less than the jitter, and rarely by much more.
        case pareto
    }

    /// When nothing passes, by a timetable that follows from the seed.
    public struct Outages: Hashable, Sendable {
        /// Nanoseconds between two.
        public let every: ClosedRange<UInt64>
        /// Nanoseconds that one takes.
        public let lasting: ClosedRange<UInt64>

        public init(every: ClosedRange<UInt64>, lasting: ClosedRange<UInt64>) {
            (self.every, self.lasting) = (every, lasting)
        }
    }

    public enum Cut: Hashable, Sendable {
        /// They are as ever, and no origin can be reached through them.
        case origins
        /// They are reset.
        case reset
        /// They stay, and nothing passes.
        case hang
        /// TLS handshakes are refused with an alert; nothing else is.
        case alert
    }

    /// The preset's name, or `custom` for figures of a profile.
    public var name: String
    /// Nanoseconds of a round trip; each direction has half of it.
    public var latency: UInt64 = 0
    /// Nanoseconds by which a round trip varies.
    public var jitter: UInt64 = 0
    public var distribution = Distribution.uniform
    /// Bits per second towards the client; nil for as many as there are.
    public var down: UInt64?
    /// Bits per second from the client.
    public var up: UInt64?
    /// How many of a million packets are lost.
    public var loss = 0
    /// Nanoseconds until a lost packet has been sent again; nil for a round trip and 200 ms.
    public var stall: UInt64?
    /// Nanoseconds before the first bytes of a new connection leave the client; nil for a round trip.
    public var setup: UInt64?
    public var outages: Outages?
    /// What jitter, loss and outages follow from.
    public var seed: UInt64 = 1
    /// What becomes of connections where there is no network at all; nil where there is one.
    public var cut: Cut?

    public init(name: String) { self.name = name }

    /// Bytes of one packet, as loss counts them.
    public static let packet = 1460

    public var stallTime: UInt64 { stall ?? latency + 200_000_000 }
    public var setupTime: UInt64 { setup ?? latency }
}
