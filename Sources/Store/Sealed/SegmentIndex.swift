import Bytes
import Exchanges
import Platform

/// What exchanges a segment has, in a small file beside it, so that a reader can pass over the segment.
package struct SegmentIndex: Equatable, Sendable {
    /// Of its form.
    private static let version: UInt64 = 1
    private static let maxHosts = 1000

    /// In small letters; nil for exchanges without one.
    package private(set) var hosts: [String?] = []
    /// nil for exchanges without a response.
    package private(set) var statuses: [Int?] = []
    /// Microseconds since 1970; nil without exchanges.
    package private(set) var times: ClosedRange<Int64>?
    /// Hosts of the last rows, which most rows repeat.
    private var known: Set<[UInt8]> = []

    init() {}

    package static func == (one: SegmentIndex, other: SegmentIndex) -> Bool {
        (one.hosts, one.statuses) == (other.hosts, other.statuses) && one.times == other.times
    }

    /// With more hosts it would hardly pass over anything.
    var isUseful: Bool { times != nil && hosts.count <= Self.maxHosts }

    mutating func add(_ batch: borrowing WriteBatch) {
        guard hosts.count <= Self.maxHosts else { return }
        for table in [WriteBatch.Table.exchange, .exchangeUpdate] {
            for row in batch.rows[table.rawValue] {
                if case .integer(let time) = batch.values[row.lowerBound + Self.time] {
                    times = min(times?.lowerBound ?? time, time)...max(times?.upperBound ?? time, time)
                }
                var status: Int?
                if case .integer(let number) = batch.values[row.lowerBound + Self.status] { status = Int(number) }
                if !statuses.contains(status) { statuses.append(status) }
                guard case .text(let place) = batch.values[row.lowerBound + Self.host] else {
                    if !hosts.contains(nil) { hosts.append(nil) }
                    continue
                }
                let host = Array(batch.bytes[Int(place.start)..<Int(place.start) + Int(place.count)])
                if known.insert(host).inserted { hosts.append(String(decoding: host, as: UTF8.self)) }
            }
        }
    }

    private static let (time, status) = (ExchangeColumns.index(of: .startedAt), ExchangeColumns.index(of: .status))
    private static let host = ExchangeColumns.Own.host.rawValue

    // MARK: Bytes

    var bytes: [UInt8] {
        var out: [UInt8] = []
        LEB128.append(Self.version, to: &out)
        for time in [times?.lowerBound ?? 0, times?.upperBound ?? 0] {
            LEB128.append(UInt64(clamping: time), to: &out)
        }
        LEB128.append(UInt64(statuses.count), to: &out)
        for status in statuses { LEB128.append(UInt64(clamping: (status ?? -1) + 1), to: &out) }
        LEB128.append(UInt64(hosts.count), to: &out)
        for host in hosts {
            LEB128.append(UInt64((host?.utf8.count ?? -1) + 1), to: &out)
            out += (host ?? "").utf8
        }
        return out
    }

    /// nil for another form.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        guard LEB128.read(&rest) == Int(Self.version), let first = LEB128.read(&rest), let last = LEB128.read(&rest),
            first <= last, let count = LEB128.read(&rest)
        else { return nil }
        times = Int64(first)...Int64(last)
        for _ in 0..<count {
            guard let status = LEB128.read(&rest) else { return nil }
            statuses.append(status == 0 ? nil : status - 1)
        }
        guard let count = LEB128.read(&rest) else { return nil }
        for _ in 0..<count {
            guard let length = LEB128.read(&rest), length - 1 <= rest.count else { return nil }
            hosts.append(length == 0 ? nil : String(decoding: rest.prefix(length - 1), as: UTF8.self))
            rest = rest.dropFirst(max(0, length - 1))
        }
    }
}
