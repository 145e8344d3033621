/// The routes of a profile among which the one that responds is found: all of them, or all but some.
///
/// Immutable, as the profile; what is left out costs nothing when a request is matched.
public final class RouteSelection: Sendable {
    /// Indices in ``Profile/routes`` of those that are left out.
    public let off: Set<Int>
    private let table: RouteTable

    init(levels: [Range<Int>], patterns: [RoutePattern], without off: Set<Int> = []) {
        self.off = off
        table = RouteTable(levels: levels, patterns: patterns, without: off)
    }

    /// The route that responds to a request, as an index into ``Profile/routes``.
    ///
    /// - Parameters:
    ///   - host: the authority's host as received, without port, with or without brackets; empty when there is none.
    ///   - port: the authority's port, or its scheme's default; with nil, patterns that name a port do not match.
    ///   - path: the raw path without its query.
    ///   - hasField: asked only for routes that fit otherwise: is there a field of that lower-case name, with exactly
    ///     that value if one is given?
    ///   - meets: asked last, for routes that ask for more: does the request meet the condition?
    public func match(
        host: Span<UInt8>, port: UInt16?, path: Span<UInt8>, method: Span<UInt8>,
        hasField: (_ name: [UInt8], _ value: [UInt8]?) -> Bool,
        meets: (RequestCondition) -> Bool = { _ in false }
    ) -> Int? {
        guard table.namesHosts else {
            return match(
                host: Span(), hash: ByteTable.seed, port: port, path: path, method: method, hasField: hasField,
                meets: meets)
        }
        // No DNS name is longer than 253 bytes; what is can only match `*`, which the empty host stands for.
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { memory in
            let (count, hash) = HostBytes.normalize(host, into: memory)
            let name = Span(_unsafeElements: UnsafeBufferPointer(rebasing: memory[..<count]))
            return match(
                host: name, hash: hash, port: port, path: path, method: method, hasField: hasField,
                meets: meets)
        }
    }

    /// The same with the host's normal form.
    private func match(
        host: Span<UInt8>, hash: UInt32, port: UInt16?, path: Span<UInt8>, method: Span<UInt8>,
        hasField: (_ name: [UInt8], _ value: [UInt8]?) -> Bool,
        meets: (RequestCondition) -> Bool
    ) -> Int? {
        if PathBytes.isNormal(path) {
            return table.match(
                host: host, hash: hash, port: port, path: path, method: method, hasField: hasField,
                meets: meets)
        }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: path.count * 3) { memory in
            let count = PathBytes.normalize(path, into: memory)
            let path = Span(_unsafeElements: UnsafeBufferPointer(rebasing: memory[..<count]))
            return table.match(
                host: host, hash: hash, port: port, path: path, method: method, hasField: hasField,
                meets: meets)
        }
    }
}
