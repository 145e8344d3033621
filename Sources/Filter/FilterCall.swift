import Bytes
import Patterns
import Protobuf

/// Calls of gRPC, whose paths name the service and the method.
enum FilterCall {
    private static let type = "application/grpc"

    /// `shop.v1.Cart/Get`; nil for another exchange.
    static func method(of subject: some FilterSubject) -> Substring? {
        guard subject.requestType?.hasPrefix(type) == true else { return nil }
        // Behind the scheme, two slashes and the authority.
        let parts = subject.url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.count == 4 ? parts[3].prefix { $0 != "?" } : nil
    }

    /// A name, a number, or two of them with a dash between.
    static func status(_ text: String) -> ClosedRange<Int>? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { end -> Int? in
            GRPC.statuses.firstIndex(of: end.uppercased())
                ?? (end.utf8.count <= 5 ? UntrustedNumber(digits: end.utf8)?.clamped() : nil)
        }
        guard (1...2).contains(ends.count), let low = ends[0], let high = ends[ends.count - 1], low <= high else {
            return nil
        }
        return low...high
    }

    static var condition: FilterSQL {
        var found = FilterColumn("request_type", isSmall: true).sql(.prefix(Array(type.utf8)))
        found.isExact = false
        return found
    }
}
