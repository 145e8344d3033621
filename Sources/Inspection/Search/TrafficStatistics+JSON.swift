public import JSON
public import Store

extension TrafficStatistics {
    /// Writes the members; times are in microseconds.
    ///
    /// - Parameter storeBytes: what the store's files take up.
    public func write(by grouping: TrafficReader.Grouping, storeBytes: Int64, to object: inout JSONWriter) {
        object.member("by", grouping.rawValue)
        object.objects("groups", groups) { object, group in
            object.member("name", group.name)
            group.write(to: &object)
        }
        object.member("groups_left_out", others)
        object.object("total") { total.write(to: &$0) }
        object.member("store_bytes", storeBytes)
    }
}

extension TrafficGroup {
    fileprivate func write(to object: inout JSONWriter) {
        object.members(["count": count, "failed": failed, "errors": errors])
        object.object("bytes", ["request": requestBytes, "response": responseBytes])
        object.member("p50_us", median.map { Int($0) })
        object.member("p95_us", percentile95.map { Int($0) })
    }
}
