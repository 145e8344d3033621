import Store

/// Goes through the exchanges of a store, the oldest first, one after the other.
struct ExportCursor {
    /// Exchanges that are read together, with what of them lies in blocks.
    static let atOnce = 32

    private let search: TrafficSearch
    var reader: TrafficReader { search.reader }

    init(_ search: TrafficSearch) { self.search = search }

    /// Up to the newest there was at the beginning; those that are removed meanwhile are left out.
    func each(_ body: (TrafficRecord) throws(ExportFailure) -> Void) throws(ExportFailure) {
        guard let newest = try stored({ () throws(StoreFailure) in try reader.newest() }) else { return }
        var next: TrafficSearch.Order? = .oldestFirst(after: 0)
        while let order = next {
            let part = try stored { () throws(StoreFailure) in try search.part(order) }
            var ids = part.found.map(\.id).prefix { $0 <= newest }
            let isEnd = ids.count < part.found.count
            while !ids.isEmpty {
                let records = try stored { () throws(StoreFailure) in try reader.records(ids.prefix(Self.atOnce)) }
                for record in records { try body(record) }
                ids = ids.dropFirst(Self.atOnce)
            }
            next = isEnd ? nil : part.next
        }
    }
}

/// Does something with a store within an export.
func stored<Value>(_ body: () throws(StoreFailure) -> Value) throws(ExportFailure) -> Value {
    do throws(StoreFailure) { return try body() } catch { throw .store(error) }
}
