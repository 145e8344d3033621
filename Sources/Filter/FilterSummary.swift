import Patterns

/// What is known of several exchanges together: enough to tell that none of them can match a filter.
public struct FilterSummary: Sendable {
    /// In small letters; nil for exchanges without one.
    public let hosts: [String?]
    /// nil for exchanges without a response.
    public let statuses: [Int?]
    /// When the first and the last of them began, in microseconds since 1970.
    public let times: ClosedRange<Int64>

    public init(hosts: [String?], statuses: [Int?], times: ClosedRange<Int64>) {
        (self.hosts, self.statuses, self.times) = (hosts, statuses, times)
    }
}

extension TrafficFilter {
    /// False where certainly none of the exchanges matches.
    public func canMatch(_ summary: FilterSummary) -> Bool { root.canMatch(summary, isNegated: false) }
}

extension FilterNode {
    fileprivate func canMatch(_ summary: FilterSummary, isNegated: Bool) -> Bool {
        switch self {
        case .not(let node): node.canMatch(summary, isNegated: !isNegated)
        // Each part may match another one of the exchanges, which is not told apart.
        case .and(let nodes) where isNegated: nodes.contains { $0.canMatch(summary, isNegated: true) }
        case .and(let nodes): nodes.allSatisfy { $0.canMatch(summary, isNegated: false) }
        case .or(let nodes) where isNegated: nodes.allSatisfy { $0.canMatch(summary, isNegated: true) }
        case .or(let nodes): nodes.contains { $0.canMatch(summary, isNegated: false) }
        case .term(let term): term.canMatch(summary, isNegated)
        }
    }
}

extension FilterTerm {
    fileprivate func canMatch(_ summary: FilterSummary, _ isNegated: Bool) -> Bool {
        switch self {
        case .all: !isNegated
        case .text(.host, let pattern):
            summary.hosts.contains { host in host.map { pattern.isFound(in: $0) != isNegated } ?? true }
        case .status(let range): summary.statuses.contains { ($0.map(range.contains) ?? false) != isNegated }
        case .withResponse: summary.statuses.contains { ($0 != nil) != isNegated }
        case .withoutResponse: summary.statuses.contains { ($0 == nil) != isNegated }
        case .since(let time): isNegated ? summary.times.lowerBound < time : summary.times.upperBound >= time
        default: true
        }
    }
}
