/// Groups while rows are still being read; memory depends on how many groups there are, not on the rows.
package struct GroupTable {
    /// An exchange's facts for a group.
    package struct Row {
        var isFailed: Bool
        var hasErrors: Bool
        var requestBytes: Int64
        var responseBytes: Int64
        /// Microseconds; nil while it runs.
        var time: Int64?

        package init(isFailed: Bool, hasErrors: Bool, requestBytes: Int64, responseBytes: Int64, time: Int64?) {
            (self.isFailed, self.hasErrors) = (isFailed, hasErrors)
            (self.requestBytes, self.responseBytes, self.time) = (requestBytes, responseBytes, time)
        }
    }

    private struct Sums {
        var count: Int64 = 0
        var failed: Int64 = 0
        var errors: Int64 = 0
        var requestBytes: Int64 = 0
        var responseBytes: Int64 = 0
        var times = TimeHistogram()

        func group(_ name: String?) -> TrafficGroup {
            TrafficGroup(
                name: name, count: count, failed: failed, errors: errors, requestBytes: requestBytes,
                responseBytes: responseBytes,
                median: times.percentile(50), percentile95: times.percentile(95))
        }
    }

    /// Further names count as no name.
    private static let limit = 10_000

    private var groups: [String?: Sums] = [:]
    private var sums = Sums()

    package init() {}

    package mutating func add(_ name: String?, _ row: Row) {
        add(
            name, count: 1, failed: row.isFailed ? 1 : 0, errors: row.hasErrors ? 1 : 0, requestBytes: row.requestBytes,
            responseBytes: row.responseBytes, step: row.time.map { TimeHistogram.step(max(0, $0)) })
    }

    /// Adds rows of one name that took about the same time.
    ///
    /// - Parameter step: nil for those that run.
    mutating func add(
        _ name: String?, count: Int64, failed: Int64, errors: Int64, requestBytes: Int64, responseBytes: Int64,
        step: Int32?
    ) {
        func add(to sums: inout Sums) {
            sums.count += count
            sums.failed += failed
            sums.errors += errors
            sums.requestBytes = sums.requestBytes.addingReportingOverflow(requestBytes).partialValue
            sums.responseBytes = sums.responseBytes.addingReportingOverflow(responseBytes).partialValue
            if let step { sums.times.add(step: step, count) }
        }
        let isTooMany = groups.count >= Self.limit && groups[name] == nil
        add(to: &groups[isTooMany ? nil : name, default: Sums()])
        add(to: &sums)
    }

    package var count: Int { groups.count }

    package var total: TrafficGroup { sums.group(nil) }

    package func largest(_ limit: Int) -> [TrafficGroup] {
        let sorted = groups.sorted { ($1.value.count, $0.key ?? "") < ($0.value.count, $1.key ?? "") }
        return sorted.prefix(max(0, limit)).map { $1.group($0) }
    }
}
