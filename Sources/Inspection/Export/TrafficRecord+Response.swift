import Exchanges
package import Store

extension TrafficRecord {
    /// Fields of which a client gets others than the origin sent, so that its cache keeps environments apart.
    private static let ofCaches: Set<String> = ["etag", "cache-control", "expires", "access-control-max-age"]

    /// The response's head as the client got it, with what the origin said to caches.
    package var response: [UInt8]? {
        guard let client = clientResponse, let origin = originResponse, summary.exchange.rewritten.contains("cache")
        else { return clientResponse ?? originResponse }
        var lines = Self.lines(client).filter { !Self.isOfCaches($0) }
        lines.insert(contentsOf: Self.lines(origin).filter { Self.isOfCaches($0) }, at: max(0, lines.count - 1))
        return lines.flatMap { $0 }
    }

    /// With their ends, the last one empty.
    private static func lines(_ head: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var rest = head[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(rest[...end])
            rest = rest[(end + 1)...]
        }
        return lines
    }

    private static func isOfCaches(_ line: ArraySlice<UInt8>) -> Bool {
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        return ofCaches.contains(String(decoding: name, as: UTF8.self).lowercased())
    }
}
