/// All routes of a profile and of what it extends, in the order in which they are tried.
///
/// Each host that some route names has its own list, wildcards merged in; all other hosts share one. So a request
/// costs one look-up and a walk over flat records, and allocates nothing.
struct RouteTable: Sendable {
    /// A piece of ``text``.
    private struct Extent {
        var start: Int32 = 0
        var count: Int32 = 0
    }

    private struct Candidate {
        var route: Int32
        /// -1 for any.
        var port: Int32
        /// `.shop.test`; empty when the list's host is known to fit.
        var suffix: Extent
        var path: Extent
        var isPrefix: Bool
        var methods: Range<Int32>
        var fields: Range<Int32>
    }

    /// Some route looks at the host.
    let namesHosts: Bool
    private var hosts: HostTable
    /// Where each host's list lies in ``candidates``; the last one is for hosts that no route names.
    private var lists: [Range<Int>] = []
    // Not `Array`, whose `span` needs macOS 26: it may wrap an NSArray there.
    private var candidates: ContiguousArray<Candidate> = []
    private var text: ContiguousArray<UInt8> = []
    private var methods: [Extent] = []
    private var fields: [FieldCondition] = []

    /// The levels follow each other in `patterns`; within each the order is free.
    init(levels: [Range<Int>], patterns: [RoutePattern]) {
        let order = levels.flatMap { Self.sorted($0, patterns) }
        var names: [String] = []
        for pattern in patterns {
            if case .exact(let host) = pattern.host.scope, !names.contains(host) { names.append(host) }
        }
        hosts = HostTable(names)
        namesHosts = patterns.contains { if case .any = $0.host.scope { false } else { true } }
        // Texts are stored once per route, however many lists it is on.
        var stored = patterns.enumerated().map { store($1, route: $0) }
        for name in names {
            append(order.filter { patterns[$0].host.covers(host: name) }.map { Self.bare(stored[$0]) })
        }
        for at in stored.indices {
            guard case .below(let parent) = patterns[at].host.scope else { continue }
            stored[at].suffix = add("." + parent)
        }
        append(
            order.filter { if case .exact = patterns[$0].host.scope { false } else { true } }.map { stored[$0] })
    }

    /// Most specific first; the order of the file decides what nothing else does.
    static func sorted(_ level: Range<Int>, _ patterns: [RoutePattern]) -> [Int] {
        level.sorted { patterns[$0].precedence(over: patterns[$1])?.isFirst ?? ($0 < $1) }
    }

    private static func bare(_ candidate: Candidate) -> Candidate {
        var candidate = candidate
        candidate.suffix = Extent()
        return candidate
    }

    private mutating func append(_ list: [Candidate]) {
        lists.append(candidates.count..<candidates.count + list.count)
        candidates += list
    }

    private mutating func add(_ string: String) -> Extent { add(Array(string.utf8)) }

    private mutating func add(_ bytes: [UInt8]) -> Extent {
        defer { text += bytes }
        return Extent(start: Int32(text.count), count: Int32(bytes.count))
    }

    private mutating func store(_ pattern: RoutePattern, route: Int) -> Candidate {
        let firstMethod = Int32(methods.count)
        for method in pattern.methods { methods.append(add(method)) }
        let firstField = Int32(fields.count)
        fields += pattern.fields
        return Candidate(
            route: Int32(route), port: pattern.host.port.map(Int32.init) ?? -1, suffix: Extent(),
            path: add(pattern.path.bytes), isPrefix: pattern.path.isPrefix,
            methods: firstMethod..<Int32(methods.count), fields: firstField..<Int32(fields.count))
    }

    /// The first candidate that fits; host and path are normal already.
    func match(
        host: Span<UInt8>, hash: UInt32, port: UInt16?, path: Span<UInt8>, method: Span<UInt8>,
        hasField: (_ name: [UInt8], _ value: [UInt8]?) -> Bool
    ) -> Int? {
        let list = lists[hosts.find(host, hash: hash) ?? lists.count - 1]
        let (candidates, text) = (candidates.span, text.span)
        let port = port.map(Int32.init) ?? -1
        for at in list {
            let candidate = candidates[at]
            guard candidate.port < 0 || candidate.port == port,
                Self.ends(host, with: Self.piece(candidate.suffix, text)),
                covers(path, pattern: Self.piece(candidate.path, text), isPrefix: candidate.isPrefix),
                allows(method, candidate.methods, text)
            else { continue }
            if candidate.fields.allSatisfy({ hasField(fields[Int($0)].name, fields[Int($0)].value) }) {
                return Int(candidate.route)
            }
        }
        return nil
    }

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
        left.count == right.count && ends(left, with: right)
    }

    /// True for an empty suffix; a host that is nothing but the suffix does not occur, as it would start with a dot.
    private static func ends(_ bytes: Span<UInt8>, with suffix: Span<UInt8>) -> Bool {
        guard suffix.count <= bytes.count else { return false }
        let shift = bytes.count - suffix.count
        for at in suffix.indices where bytes[shift + at] != suffix[at] { return false }
        return true
    }
}
