/// Counts frames that cost a receiver more than their sender, and limits their rate.
///
/// Each kind has a burst that any client may need, and a rate at which the count decreases.
struct FloodMeter {
    enum Kind: Int, CaseIterable {
        case reset, settings, ping, emptyData, priority, windowUpdate

        var burst: Int {
            switch self {
            case .reset: 500
            case .settings: 50
            case .ping: 100
            case .emptyData: 1000
            case .priority: 2000
            case .windowUpdate: 10_000
            }
        }

        /// The decrease of the count in each second.
        var rate: Int {
            switch self {
            case .reset: 100
            case .settings: 5
            case .ping: 20
            case .emptyData: 100
            case .priority: 200
            case .windowUpdate: 1000
            }
        }

        var name: String {
            switch self {
            case .reset: "RST_STREAM"
            case .settings: "SETTINGS"
            case .ping: "PING"
            case .emptyData: "empty DATA"
            case .priority: "PRIORITY"
            case .windowUpdate: "WINDOW_UPDATE"
            }
        }
    }

    private var counts = [Int](repeating: 0, count: Kind.allCases.count)
    private var second: UInt64 = 0

    /// Counts one frame; false when there were too many.
    mutating func count(_ kind: Kind) -> Bool {
        counts[kind.rawValue] += 1
        return counts[kind.rawValue] <= kind.burst
    }

    /// Decreases the counts by the time that has passed.
    /// - Parameter now: nanoseconds.
    mutating func tick(now: UInt64) {
        let present = now / 1_000_000_000
        guard present != second else { return }
        let elapsed = second == 0 ? 0 : Int(clamping: min(present &- second, 3600))
        second = present
        for kind in Kind.allCases {
            counts[kind.rawValue] = max(0, counts[kind.rawValue] - elapsed * kind.rate)
        }
    }

    /// Bytes of a body that were sent allow the WINDOW_UPDATE and PING frames that they cause.
    mutating func earn(bytes: Int) {
        counts[Kind.ping.rawValue] = max(0, counts[Kind.ping.rawValue] - 1)
        let index = Kind.windowUpdate.rawValue
        if counts[index] > 0 { counts[index] = max(0, counts[index] - 1 - bytes / 256) }
    }
}
