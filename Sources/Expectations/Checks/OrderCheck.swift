import JSON
import Profiles
import Store

/// The first exchange of each filter begins after that of the filter before.
struct OrderCheck: Check {
    static let key = "order"
    static let schema =
        ##"{ "type": "array", "minItems": 2, "items": { "type": "string" } }"##

    private let filters: [FilterText]

    init?(_ value: JSONValue, _ reader: CheckReader) {
        guard let items = value.array, items.count > 1 else {
            reader.wrong(
                value, value.array == nil ? "\"order\" is \(value.kindName)" : "\"order\" has fewer than two filters",
                expected: "a list of two filters or more")
            return nil
        }
        filters = items.compactMap { reader.filter($0) }
        guard filters.count == items.count else { return nil }
    }

    var words: String { filters.map(\.words).joined(separator: ", then ") }
    var needsExchanges: Bool { false }

    func failure(_ filter: FilterText, _ traffic: Observations) throws(CheckFailure) -> Mismatch? {
        var last: (id: Int64, text: String)?
        for wanted in filters {
            guard let first = try traffic.first(wanted, limit: 1).first else {
                return Mismatch(
                    expected: "in this order: \(words)", seen: "none with \(wanted.words)",
                    nearest: try traffic.nearest(to: wanted))
            }
            if let last, last.id >= first.id {
                return Mismatch(
                    expected: "in this order: \(words)",
                    seen:
                        "#\(first.id), the first with \(wanted.words), came before #\(last.id), the first with \(last.text)",
                    ids: [first.id, last.id], count: 2)
            }
            last = (first.id, wanted.words)
        }
        return nil
    }
}
