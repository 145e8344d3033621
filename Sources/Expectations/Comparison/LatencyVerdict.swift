/// Whether times differ by more than chance, by ranks (Mann and Whitney), so that no shape of them is assumed.
enum LatencyVerdict: Equatable {
    case tooFew, alike, slower, faster

    /// Fewer say nothing.
    static let least = 20
    /// Of the normal distribution: one comparison in a thousand is wrong by chance.
    private static let limit = 3.29

    /// A difference of the medians below 10 % or 1 ms is none, whatever the ranks say.
    init(_ base: [Int64], _ head: [Int64]) {
        guard base.count >= Self.least, head.count >= Self.least else {
            self = .tooFew
            return
        }
        let (old, new) = (Self.median(base), Self.median(head))
        guard abs(new - old) * 10 > old, abs(new - old) > 1000 else {
            self = .alike
            return
        }
        let all = (base.map { (time: $0, isHead: false) } + head.map { (time: $0, isHead: true) }).sorted {
            $0.time < $1.time
        }
        // Equal times share the mean of their ranks.
        var (ranks, at) = (0.0, 0)
        while at < all.count {
            var end = at
            while end < all.count, all[end].time == all[at].time { end += 1 }
            let rank = Double(at + 1 + end) / 2
            ranks += rank * Double(all[at..<end].count { $0.isHead })
            at = end
        }
        let (first, second) = (Double(head.count), Double(base.count))
        let mean = first * (first + second + 1) / 2
        let deviation = (first * second * (first + second + 1) / 12).squareRoot()
        let score = (ranks - mean) / deviation
        self = abs(score) < Self.limit ? .alike : score > 0 ? .slower : .faster
    }

    static func median(_ times: [Int64]) -> Int64 { percentile(times, 50) }

    static func percentile(_ times: [Int64], _ percent: Int) -> Int64 {
        let sorted = times.sorted()
        return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, max(0, (sorted.count * percent + 99) / 100 - 1))]
    }
}
