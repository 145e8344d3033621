import Exchanges
import Inspection
import JSON
import Store

/// What the exchanges of a run come to, endpoint by endpoint.
struct RunFigures {
    struct Group {
        var count = 0
        var failed = 0
        var statuses: [Int: Int] = [:]
        /// Microseconds of those that ended; a sample where there are many.
        var times: [Int64] = []
        var request: JSONShape?
        /// Of responses with a status of 2xx.
        var response: JSONShape?
        fileprivate var bodies = 0
    }

    /// Times that are kept of each, and bodies that are read.
    private static let (maxTimes, maxBodies) = (2000, 200)
    private static let maxEndpoints = 5000

    private(set) var groups: [Endpoint: Group] = [:]
    private(set) var count = 0

    init(_ traffic: Observations) throws(CheckFailure) {
        var problem: CheckFailure?
        try traffic.each(.everything) { summary in
            count += 1
            guard let endpoint = Endpoint(summary.exchange) else { return true }
            guard groups[endpoint] != nil || groups.count < Self.maxEndpoints else { return true }
            do throws(CheckFailure) {
                try add(summary, to: endpoint, traffic)
                return true
            } catch {
                problem = error
                return false
            }
        }
        if let problem { throw problem }
    }

    private mutating func add(
        _ summary: TrafficSummary, to endpoint: Endpoint, _ traffic: Observations
    ) throws(CheckFailure) {
        var group = groups[endpoint] ?? Group()
        // Not copied on each change.
        groups[endpoint] = nil
        defer { groups[endpoint] = group }
        let exchange = summary.exchange
        group.count += 1
        if exchange.failure != nil { group.failed += 1 }
        if let status = exchange.status { group.statuses[status, default: 0] += 1 }
        if summary.isEnded {
            let time = Int64(clamping: exchange.timings.total)
            // Every n-th of those that come later takes the place of an earlier one.
            if group.times.count < Self.maxTimes {
                group.times.append(time)
            } else {
                group.times[group.count * 7 % Self.maxTimes] = time
            }
        }
        guard group.bodies < Self.maxBodies, let record = try traffic.record(summary.id) else { return }
        group.bodies += 1
        Self.merge(try Self.shape(record, .request, traffic), into: &group.request)
        if (200..<300).contains(exchange.status ?? 0) {
            Self.merge(try Self.shape(record, .response, traffic), into: &group.response)
        }
    }

    private static func shape(
        _ record: TrafficRecord, _ side: BodySide, _ traffic: Observations
    ) throws(CheckFailure) -> JSONShape? {
        let kept = side == .request ? record.requestBody : record.responseBody
        guard kept.kept > 0, !kept.isCut, !kept.isDropped else { return nil }
        let bytes = try traffic.body(record, side)
        return (try? JSONReader.read(bytes, dialect: .strict, sizeLimit: .max)).map { JSONShape($0) }
    }

    private static func merge(_ shape: JSONShape?, into other: inout JSONShape?) {
        guard let shape else { return }
        if other == nil { other = shape } else { other?.merge(shape) }
    }
}
