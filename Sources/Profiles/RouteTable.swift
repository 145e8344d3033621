/// The routes of one level, found by the bytes of a request.
///
/// Exact hosts are found through a hash of their bytes, so that no String is made per request; wildcards are few and
/// are tried in turn.
struct RouteTable: Sendable {
    private struct Entry: Sendable {
        let index: Int
        let port: UInt16?
        let path: PathPattern
        let methods: [[UInt8]]?
        let headers: [(name: [UInt8], value: [UInt8]?)]
    }

    private struct Group: Sendable {
        /// The host, or the suffix with its first dot; empty for any host.
        let host: [UInt8]
        var entries: [Entry]
    }

    private var exact: [Group] = []
    /// Indexes of `exact`, open addressing; -1 is free.
    ///
    /// The count is a power of two.
    private var slots: [Int32] = []
    /// Longest first; any host last.
    private var wildcards: [Group] = []

    /// - Parameter patterns: in the order of precedence; indexes count from `first`.
    init(_ patterns: [RoutePattern], first: Int) {
        for (offset, pattern) in patterns.enumerated() {
            let entry = Entry(
                index: first + offset, port: pattern.host.port, path: pattern.path,
                methods: pattern.methods?.map { Array($0.utf8) },
                headers: pattern.headers.map { (Array($0.name.utf8), $0.value.map { Array($0.utf8) }) })
            switch pattern.host.form {
            case .exact(let name): Self.add(entry, Array(name.utf8), to: &exact)
            case .below(let suffix): Self.add(entry, Array(("." + suffix).utf8), to: &wildcards)
            case .any, .loopback: Self.add(entry, [], to: &wildcards)
            }
        }
        var size = 8
        while size < exact.count * 2 { size *= 2 }
        slots = [Int32](repeating: -1, count: size)
        for (index, group) in exact.enumerated() {
            var slot = Self.hash(group.host.span) & (size - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = Int32(index)
        }
    }

    private static func add(_ entry: Entry, _ host: [UInt8], to groups: inout [Group]) {
        if let index = groups.firstIndex(where: { $0.host == host }) {
            groups[index].entries.append(entry)
        } else {
            groups.append(Group(host: host, entries: [entry]))
        }
    }

    func match(
        _ host: Span<UInt8>, _ port: UInt16?, _ path: Span<UInt8>, _ method: Span<UInt8>,
        _ hasField: (_ name: [UInt8], _ value: [UInt8]?) -> Bool
    ) -> Int? {
        if !exact.isEmpty {
            let mask = slots.count - 1
            var slot = Self.hash(host) & mask
            while slots[slot] >= 0 {
                let index = Int(slots[slot])
                if Self.isSame(exact[index].host, host, from: 0) {
                    if let found = first(in: exact[index].entries, port, path, method, hasField) { return found }
                    break
                }
                slot = (slot + 1) & mask
            }
        }
        for group in wildcards
        where host.count > group.host.count && Self.isSame(group.host, host, from: host.count - group.host.count)
            || group.host.isEmpty
        {
            if let found = first(in: group.entries, port, path, method, hasField) { return found }
        }
        return nil
    }

    private func first(
        in entries: [Entry], _ port: UInt16?, _ path: Span<UInt8>, _ method: Span<UInt8>,
        _ hasField: (_ name: [UInt8], _ value: [UInt8]?) -> Bool
    ) -> Int? {
        for entry in entries {
            if let wanted = entry.port, wanted != port { continue }
            guard entry.path.matches(path) else { continue }
            if let methods = entry.methods, !methods.contains(where: { Self.isEqual($0, method) }) { continue }
            if !entry.headers.isEmpty, !entry.headers.allSatisfy({ hasField($0.name, $0.value) }) { continue }
            return entry.index
        }
        return nil
    }

    /// FNV-1a over small letters.
    private static func hash(_ host: Span<UInt8>) -> Int {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for index in 0..<host.count { hash = (hash ^ UInt64(small(host[index]))) &* 0x100_0000_01b3 }
        return Int(truncatingIfNeeded: hash >> 7) & Int.max
    }

    private static func small(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte }

    /// Whether `host` from a place on is `name`, which is in small letters.
    private static func isSame(_ name: [UInt8], _ host: Span<UInt8>, from start: Int) -> Bool {
        guard start >= 0, host.count - start == name.count else { return false }
        for index in 0..<name.count where small(host[start + index]) != name[index] { return false }
        return true
    }

    private static func isEqual(_ name: [UInt8], _ bytes: Span<UInt8>) -> Bool {
        guard name.count == bytes.count else { return false }
        for index in 0..<name.count where name[index] != bytes[index] { return false }
        return true
    }
}
