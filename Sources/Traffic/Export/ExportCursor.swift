/// Goes through the exchanges of a store, the oldest first, one after the other.
struct ExportCursor {
    private static let pageSize = 200

    let reader: TrafficReader
    let condition: StoreCondition
    /// Decides where the condition selects too many.
    let isWanted: (TrafficSummary) throws(StoreFailure) -> Bool

    /// Up to the newest there was at the beginning; those that are removed meanwhile are left out.
    func each(_ body: (TrafficRecord) throws(ExportFailure) -> Void) throws(ExportFailure) {
        guard let newest = try stored({ () throws(StoreFailure) in try reader.newest() }) else { return }
        var last: Int64 = 0
        while true {
            let page = try stored { () throws(StoreFailure) in
                try reader.page(where: condition, after: last, limit: Self.pageSize)
            }
            for summary in page {
                guard summary.id <= newest else { return }
                last = summary.id
                let record = try stored { () throws(StoreFailure) in
                    try isWanted(summary) ? try reader.record(summary.id) : nil
                }
                if let record { try body(record) }
            }
            guard page.count == Self.pageSize else { return }
        }
    }
}

/// Does something with a store within an export.
func stored<Value>(_ body: () throws(StoreFailure) -> Value) throws(ExportFailure) -> Value {
    do throws(StoreFailure) { return try body() } catch { throw .store(error) }
}
