import Exchanges
package import Store

/// How many exchanges began when, in steps of equal length that grow so that there are never more than a limit.
package struct Timeline {
    package struct Step: Equatable {
        package var count: Int64 = 0
        /// Those that failed, or ended with a status of 500 and more.
        package var failed: Int64 = 0
    }

    /// The length of a step, in microseconds.
    package private(set) var length: Int64
    private let limit: Int64
    /// By their start, divided by the length.
    private var steps: [Int64: Step] = [:]
    private var ends: ClosedRange<Int64>?

    /// - Parameter shortest: the length of the first steps, in microseconds.
    package init(limit: Int, shortest: Int64) {
        self.limit = Int64(max(1, limit))
        length = max(1, shortest)
    }

    /// - Parameter time: microseconds since 1970, to which what is before is moved.
    package mutating func add(_ time: Int64, _ count: Int64, failed: Int64) {
        // Below half of the largest number, so that no length exceeds it.
        let time = min(max(0, time), Int64.max / 2)
        var place = time / length
        while let ends, max(ends.upperBound, place) - min(ends.lowerBound, place) >= limit {
            double()
            place = time / length
        }
        ends = min(ends?.lowerBound ?? place, place)...max(ends?.upperBound ?? place, place)
        steps[place, default: Step()].count += count
        steps[place, default: Step()].failed += failed
    }

    private mutating func double() {
        length *= 2
        var wider: [Int64: Step] = [:]
        for (place, step) in steps {
            wider[place / 2, default: Step()].count += step.count
            wider[place / 2, default: Step()].failed += step.failed
        }
        steps = wider
        if let old = ends { ends = old.lowerBound / 2...old.upperBound / 2 }
    }

    /// Where the first step begins, in microseconds since 1970, and all of them, empty ones too; nil without exchanges.
    package var all: (start: Int64, steps: [Step])? {
        ends.map { ends in (ends.lowerBound * length, ends.map { steps[$0] ?? Step() }) }
    }
}

extension TrafficSearch {
    /// When the wanted exchanges began; looks at every row once.
    package func timeline(limit: Int) throws(StoreFailure) -> Timeline {
        var timeline = Timeline(limit: limit, shortest: TrafficReader.startStep)
        if isExact {
            try reader.eachStart(where: condition) { timeline.add($0, $1, failed: $2) }
            return timeline
        }
        try each(.oldestFirst(after: 0)) { summary in
            let exchange = summary.exchange
            let isFailed = exchange.failure != nil || exchange.status.map { $0 >= 500 } ?? false
            timeline.add(exchange.startedAt, 1, failed: isFailed ? 1 : 0)
            return true
        }
        return timeline
    }
}
