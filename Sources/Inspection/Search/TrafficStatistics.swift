import Exchanges
public import Store

/// What the exchanges that a filter wants come to, together and in groups.
public struct TrafficStatistics: Sendable {
    /// Without a name.
    public let total: TrafficGroup
    /// The largest first.
    public let groups: [TrafficGroup]
    /// Groups that are not listed, for there are too many.
    public let others: Int
}

extension TrafficSearch {
    /// Sums and percentiles; looks at every row once.
    public func statistics(
        by grouping: TrafficReader.Grouping, limit: Int = 100
    ) throws(StoreFailure) -> TrafficStatistics {
        let table = isExact ? try reader.groupTable(by: grouping, where: condition) : try table(by: grouping)
        let groups = table.largest(limit)
        return TrafficStatistics(total: table.total, groups: groups, others: table.count - groups.count)
    }

    private func table(by grouping: TrafficReader.Grouping) throws(StoreFailure) -> GroupTable {
        var table = GroupTable()
        try each(.oldestFirst(after: 0)) { summary in
            let exchange = summary.exchange
            table.add(
                name(of: summary, grouping),
                GroupTable.Row(
                    isFailed: exchange.failure != nil,
                    hasErrors: (exchange.graphQLErrors ?? 0) > 0 || (exchange.grpcStatus ?? 0) > 0,
                    requestBytes: Int64(clamping: exchange.bytes.request),
                    responseBytes: Int64(clamping: exchange.bytes.response),
                    time: summary.isEnded ? Int64(clamping: exchange.timings.total) : nil))
            return true
        }
        return table
    }

    /// The same as the column of that name has.
    private func name(of summary: TrafficSummary, _ grouping: TrafficReader.Grouping) -> String? {
        let exchange = summary.exchange
        switch grouping {
        case .host: return summary.host
        case .status: return exchange.status.map { "\($0)" }
        case .profile: return exchange.profile
        case .route: return exchange.route
        case .method: return exchange.method
        case .responder: return exchange.responder
        case .origin: return exchange.origin?.url
        case .trust: return exchange.origin?.trust
        case .app: return exchange.client.app
        case .session: return exchange.session
        case .operation: return exchange.operation
        case .type: return summary.responseType
        case .node: return summary.node
        }
    }
}

extension TrafficSearch {
    /// How many of those that are wanted have ended.
    public func endedCount() throws(StoreFailure) -> Int {
        if isExact {
            var ended = StoreCondition("(\(condition.clause)) AND ended = 1", condition.values)
            ended.canHold = condition.canHold
            return Int(clamping: try reader.count(where: ended))
        }
        var count = 0
        try each(.oldestFirst(after: 0)) { summary in
            if summary.isEnded { count += 1 }
            return true
        }
        return count
    }
}
