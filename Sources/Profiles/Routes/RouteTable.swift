/// All routes of a profile and of what it extends, found by host and by the beginning of the path.
///
/// Each host pattern is a scope, and each scope has a list for every literal beginning of its routes' paths. A request
/// looks into the lists of its host, of the domains above it and of `*`, for each beginning of its path, and takes the
/// route that comes first in the order of precedence: the cost does not grow with the number of routes, and nothing is
/// allocated.
struct RouteTable: Sendable {
    /// A piece of ``text``.
    private struct Extent {
        var start: Int32 = 0
        var count: Int32 = 0
    }

    private struct Candidate {
        /// The position in the order of precedence.
        var rank: Int32
        var route: Int32
        /// -1 for any.
        var port: Int32
        var path: Extent
        var isPrefix: Bool
        var methods: Range<Int32>
        var fields: Range<Int32>
        var conditions: Range<Int32>
    }

    /// The best candidate so far.
    private struct Choice {
        var rank = Int32.max
        var route: Int32 = -1
    }

    /// Some route looks at the host.
    let namesHosts: Bool
    /// Hosts and domains with their scopes.
    private let hosts: ByteTable
    private let domains: ByteTable
    private let namesDomains: Bool
    /// Where the scopes of domains begin; that of `*` is the last.
    private let firstDomain: Int
    /// Literal beginnings of paths by scope, with their lists.
    private let beginnings: ByteTable
    /// Where each list lies in ``candidates``, in the order of precedence.
    private let lists: ContiguousArray<Range<Int32>>
    /// By scope, how many segments the beginnings have: a bit for each number up to 62, one for all above.
    private let depths: ContiguousArray<UInt64>
    private let candidates: ContiguousArray<Candidate>
    private let text: ContiguousArray<UInt8>
    private let methods: [Extent]
    private let fields: [FieldCondition]
    private let conditions: [RequestCondition]

    /// The levels follow each other in `patterns`; within each the order is free.
    /// - Parameter off: indices of patterns that are left out.
    init(levels: [Range<Int>], patterns: [RoutePattern], without off: Set<Int> = []) {
        let scopes = Scopes(patterns)
        hosts = ByteTable(scopes.hosts)
        domains = ByteTable(scopes.domains, hash: ByteTable.backwards)
        namesDomains = !scopes.domains.isEmpty
        firstDomain = scopes.hosts.count
        namesHosts = !scopes.hosts.isEmpty || !scopes.domains.isEmpty

        var (text, methods, fields): (ContiguousArray<UInt8>, [Extent], [FieldCondition]) = ([], [], [])
        func add(_ bytes: [UInt8]) -> Extent {
            defer { text += bytes }
            return Extent(start: Int32(text.count), count: Int32(bytes.count))
        }
        var conditions: [RequestCondition] = []
        var depths = ContiguousArray<UInt64>(repeating: 0, count: scopes.count)
        var positions: [Beginning: Int] = [:]
        var byBeginning: [(key: Beginning, candidates: [Candidate])] = []
        let sorted = levels.flatMap { Self.sorted($0) { patterns[$0] } }
        for (rank, route) in sorted.enumerated() where off.isEmpty || !off.contains(route) {
            let pattern = patterns[route]
            let (firstMethod, firstField) = (Int32(methods.count), Int32(fields.count))
            for method in pattern.methods { methods.append(add(Array(method.utf8))) }
            fields += pattern.fields
            let firstCondition = Int32(conditions.count)
            conditions += pattern.conditions
            let candidate = Candidate(
                rank: Int32(rank), route: Int32(route), port: pattern.host.port.map(Int32.init) ?? -1,
                path: add(pattern.path.bytes), isPrefix: pattern.path.isPrefix,
                methods: firstMethod..<Int32(methods.count), fields: firstField..<Int32(fields.count),
                conditions: firstCondition..<Int32(conditions.count))
            let key = Beginning(scope: scopes.index(of: pattern.host.scope), bytes: pattern.path.literalBeginning)
            depths[key.scope] |= Self.bit(key.bytes.count { $0 == UInt8(ascii: "/") })
            let position = positions[key] ?? byBeginning.count
            if position == byBeginning.count {
                positions[key] = position
                byBeginning.append((key, []))
            }
            byBeginning[position].candidates.append(candidate)
        }
        beginnings = ByteTable(byBeginning.map { (bytes: $0.key.bytes, group: $0.key.scope) })
        var (candidates, lists): (ContiguousArray<Candidate>, ContiguousArray<Range<Int32>>) = ([], [])
        for beginning in byBeginning {
            lists.append(Int32(candidates.count)..<Int32(candidates.count + beginning.candidates.count))
            candidates += beginning.candidates
        }
        (self.candidates, self.lists, self.depths) = (candidates, lists, depths)
        (self.text, self.methods, self.fields, self.conditions) = (text, methods, fields, conditions)
    }

    /// Most specific first; the order of the file decides what nothing else does.
    static func sorted(_ routes: some Sequence<Int>, _ pattern: (Int) -> RoutePattern) -> [Int] {
        let ranks = routes.map { (route: $0, rank: RouteRank(pattern($0))) }
        return ranks.sorted { $0.rank.precedence(over: $1.rank)?.isFirst ?? ($0.route < $1.route) }.map(\.route)
    }

    /// The first route in the order of precedence that fits; host and path are normal already.
    func match(
        host: Span<UInt8>, hash: UInt32, port: UInt16?, path: Span<UInt8>, method: Span<UInt8>,
        hasField: (_ name: [UInt8], _ value: [UInt8]?) -> Bool, meets: (RequestCondition) -> Bool
    ) -> Int? {
        let port = port.map(Int32.init) ?? -1
        var choice = Choice()
        if let scope = hosts.find(host, hash: hash) { look(in: scope, port, path, method, hasField, meets, &choice) }
        if namesDomains {
            var (at, hash) = (host.count - 1, ByteTable.seed)
            while at >= 0 {
                if host[at] == UInt8(ascii: "."), let domain = domains.find(host.extracting((at + 1)...), hash: hash) {
                    look(in: firstDomain + domain, port, path, method, hasField, meets, &choice)
                }
                hash = ByteTable.mix(hash, host[at])
                at -= 1
            }
        }
        look(in: depths.count - 1, port, path, method, hasField, meets, &choice)
        return choice.route < 0 ? nil : Int(choice.route)
    }

    /// Looks at the routes of one scope, beginning of the path by beginning.
    private func look(
        in scope: Int, _ port: Int32, _ path: Span<UInt8>, _ method: Span<UInt8>,
        _ hasField: (_ name: [UInt8], _ value: [UInt8]?) -> Bool, _ meets: (RequestCondition) -> Bool,
        _ choice: inout Choice
    ) {
        let depths = depths[scope]
        guard depths != 0 else { return }
        var (end, hash, depth) = (0, ByteTable.seed, 0)
        while true {
            // A beginning ends where a segment does.
            if end == 0 || end == path.count || path[end] == UInt8(ascii: "/") {
                let bit = Self.bit(depth)
                if depths & bit != 0,
                    let list = beginnings.find(path.extracting(..<end), hash: hash, group: scope)
                {
                    look(at: lists[list], port, path, method, hasField, meets, &choice)
                }
                // No route of this scope begins with more.
                if depths < bit &<< 1, depth < 63 { return }
            }
            guard end < path.count else { return }
            if path[end] == UInt8(ascii: "/") { depth &+= 1 }
            hash = ByteTable.mix(hash, path[end])
            end &+= 1
        }
    }

    private func look(
        at list: Range<Int32>, _ port: Int32, _ path: Span<UInt8>, _ method: Span<UInt8>,
        _ hasField: (_ name: [UInt8], _ value: [UInt8]?) -> Bool, _ meets: (RequestCondition) -> Bool,
        _ choice: inout Choice
    ) {
        let (candidates, text) = (candidates.span, text.span)
        for at in list {
            let candidate = candidates[Int(at)]
            guard candidate.rank < choice.rank else { return }
            guard candidate.port < 0 || candidate.port == port,
                covers(path, pattern: Self.piece(candidate.path, text), isPrefix: candidate.isPrefix),
                allows(method, candidate.methods, text),
                candidate.fields.allSatisfy({ hasField(fields[Int($0)].name, fields[Int($0)].value) }),
                candidate.conditions.allSatisfy({ meets(conditions[Int($0)]) })
            else { continue }
            choice = Choice(rank: candidate.rank, route: candidate.route)
            return
        }
    }

    private static func bit(_ depth: Int) -> UInt64 { 1 &<< UInt64(min(depth, 63)) }

    private func allows(_ method: Span<UInt8>, _ range: Range<Int32>, _ text: Span<UInt8>) -> Bool {
        if range.isEmpty { return true }
        for at in range where Self.equal(method, Self.piece(methods[Int(at)], text)) { return true }
        return false
    }

    @_lifetime(copy text)
    private static func piece(_ extent: Extent, _ text: Span<UInt8>) -> Span<UInt8> {
        text.extracting(Int(extent.start)..<Int(extent.start + extent.count))
    }

    private static func equal(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        for at in left.indices where left[at] != right[at] { return false }
        return true
    }
}

/// The literal segments that a route's path begins with, under one host pattern.
private struct Beginning: Hashable {
    let scope: Int
    let bytes: [UInt8]
}

/// A number for each different host pattern: hosts first, then domains, then `*`.
private struct Scopes {
    private(set) var hosts: [String] = []
    private(set) var domains: [String] = []
    private var indexes: [HostPattern.Scope: Int] = [:]

    var count: Int { hosts.count + domains.count + 1 }

    init(_ patterns: [RoutePattern]) {
        for scope in patterns.map(\.host.scope) where indexes[scope] == nil {
            switch scope {
            case .exact(let host):
                indexes[scope] = hosts.count
                hosts.append(host)
            case .below(let domain):
                indexes[scope] = domains.count
                domains.append(domain)
            // Routes cannot name @loopback or ranges.
            case .loopback, .network, .any: break
            }
        }
    }

    func index(of scope: HostPattern.Scope) -> Int {
        switch scope {
        case .exact: indexes[scope] ?? count - 1
        case .below: indexes[scope].map { hosts.count + $0 } ?? count - 1
        case .loopback, .network, .any: count - 1
        }
    }
}
