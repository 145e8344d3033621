import Store

/// Goes through the exchanges of a store, the oldest first, one after the other.
struct ExportCursor {
    /// Exchanges that are read together, with the frames that they are in.
    static let atOnce = 32

    private let search: TrafficSearch
    var reader: TrafficReader { search.reader }

    init(_ search: TrafficSearch) { self.search = search }

    /// Up to the newest there was at the beginning; those that are removed meanwhile are left out.
    func each(_ body: (TrafficRecord) throws(ExportFailure) -> Void) throws(ExportFailure) {
        try eachPart { ids throws(ExportFailure) in
            for record in try Self.records(ids, reader) { try body(record) }
        }
    }

    /// The same as numbers, at most ``atOnce`` together.
    func eachPart(_ body: (ArraySlice<Int64>) throws(ExportFailure) -> Void) throws(ExportFailure) {
        guard let newest = try stored({ () throws(StoreFailure) in try reader.newest() }) else { return }
        var next: TrafficSearch.Order? = .oldestFirst(after: 0)
        while let order = next {
            let part = try stored { () throws(StoreFailure) in try search.numbers(order) }
            var ids = part.found.prefix { $0 <= newest }
            let isEnd = ids.count < part.found.count
            while !ids.isEmpty {
                try body(ids.prefix(Self.atOnce))
                ids = ids.dropFirst(Self.atOnce)
            }
            next = isEnd ? nil : part.next
        }
    }

    static func records(_ ids: ArraySlice<Int64>, _ reader: TrafficReader) throws(ExportFailure) -> [TrafficRecord] {
        try stored { () throws(StoreFailure) in try reader.records(ids) }
    }
}

/// Does something with a store within an export.
func stored<Value>(_ body: () throws(StoreFailure) -> Value) throws(ExportFailure) -> Value {
    do throws(StoreFailure) { return try body() } catch { throw .store(error) }
}
