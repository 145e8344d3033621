/// The entries of a recording by the beginnings of their paths, by which those that are like a request are found
/// without a look at all others.
struct EntryPlaces: Sendable {
    /// Entries that are returned for one beginning, the first ones.
    private static let reach = 32
    /// Segments of a path that are looked at.
    private static let maxDepth = 8

    private struct Key: Hashable {
        /// nil for any.
        let host: String?
        let beginning: Substring
        /// The path ends there.
        let isWhole: Bool
    }

    private var entries: [Key: [Int]] = [:]

    init(_ urls: some Sequence<(at: Int, url: RecordedURL)>) {
        for (at, url) in urls {
            for key in Self.keys(url.host, url.path) + Self.keys(nil, url.path) {
                if entries[key]?.count ?? 0 < Self.reach { entries[key, default: []].append(at) }
            }
        }
    }

    /// Entries near a host and a path, in rising order: a bounded number, however many there are.
    func near(host: String, path: String) -> [Int] {
        let found = [host, nil].flatMap { host in
            let keys = Self.keys(host, path)
            let (whole, beginnings) = (keys.filter(\.isWhole), keys.filter { !$0.isWhole })
            return (whole.first.flatMap { entries[$0] } ?? [])
                + (beginnings.lazy.compactMap { entries[$0] }.first ?? [])
        }
        return Set(found).sorted()
    }

    /// The path, and then its beginnings, the longest first.
    private static func keys(_ host: String?, _ path: String) -> [Key] {
        let slashes = path.utf8.indices.lazy.filter { path.utf8[$0] == UInt8(ascii: "/") }
        let ends = Array(slashes.prefix(maxDepth + 1).dropFirst())
        let beginnings = [path.startIndex] + ends + (ends.count < maxDepth ? [path.endIndex] : [])
        return [Key(host: host, beginning: path[...], isWhole: true)]
            + beginnings.reversed().map { Key(host: host, beginning: path[..<$0], isWhole: false) }
    }
}
