import Bytes
import JSON
import Profiles

/// Which items of a collection a request asks for, in which order: in the words of json-server.
struct CollectionQuery {
    /// One page of the items that were found.
    struct Page {
        let items: ArraySlice<CollectionItems.Item>
        /// Of all pages.
        let total: Int
        /// The value of the field Link (RFC 8288); nil without pages.
        let link: String?
    }

    private enum Comparison: String, CaseIterable {
        case notEqual = "_ne"
        case less = "_lt"
        case greater = "_gt"
        case atMost = "_lte"
        case atLeast = "_gte"
        case like = "_like"
    }

    private struct Condition {
        let name: String
        let path: [String]
        let comparison: Comparison?
        /// One of them is enough.
        var values: [String]
    }

    private static let words = ["_page", "_limit", "_per_page", "_start", "_end", "_sort", "_order"]
    private static let maxParameters = 100
    private static let usualLimit = 10

    /// As they were sent.
    private let parameters: [(name: [UInt8], value: [UInt8])]
    private var conditions: [Condition] = []
    /// Texts that an item has to have in any of its values.
    private var texts: [String] = []
    private var order: [(path: [String], isDescending: Bool)] = []
    private var numbers: [String: Int] = [:]

    init(_ query: [UInt8]) throws(CollectionRefusal) {
        parameters = URLParameters.read(query)
        guard parameters.count <= Self.maxParameters else {
            throw CollectionRefusal(400, "the query has more than \(Self.maxParameters) parameters")
        }
        var (sort, directions): ([Substring], [Substring]) = ([], [])
        for parameter in parameters {
            let name = String(decoding: FormCoding.decoded(parameter.name), as: UTF8.self)
            let value = String(decoding: FormCoding.decoded(parameter.value), as: UTF8.self)
            switch name {
            // What clients add against caches.
            case "_", "": continue
            case "q": texts.append(value.lowercased())
            case "_sort": sort += value.split(separator: ",")
            case "_order": directions += value.split(separator: ",")
            case _ where Self.words.contains(name): numbers[name] = try Self.number(value, name)
            case _ where name.hasPrefix("_"):
                throw CollectionRefusal(
                    400,
                    "the query has \(name); expected members of the items, or one of "
                        + "\((["q"] + Self.words).joined(separator: ", "))")
            default: add(name, value)
            }
        }
        for (at, name) in sort.enumerated() {
            let direction = at < directions.count ? directions[at].lowercased() : "asc"
            guard ["asc", "desc"].contains(direction) else {
                throw CollectionRefusal(400, "_order is \(direction); expected asc or desc")
            }
            let isMarked = name.hasPrefix("-")
            order.append((Self.path(isMarked ? name.dropFirst() : name), isMarked || direction == "desc"))
        }
    }

    private static func number(_ text: String, _ name: String) throws(CollectionRefusal) -> Int {
        let least = name == "_start" || name == "_end" ? 0 : 1
        guard let number = Int(text), (least...CollectionItems.maxItems).contains(number) else {
            throw CollectionRefusal(
                400, "\(name) is \(text.prefix(80)); expected a number from \(least) to \(CollectionItems.maxItems)")
        }
        return number
    }

    private static func path(_ name: Substring) -> [String] { name.split(separator: ".").map(String.init) }

    private mutating func add(_ name: String, _ value: String) {
        if let at = conditions.firstIndex(where: { $0.name == name }) { return conditions[at].values.append(value) }
        let comparison = Comparison.allCases.first { name.hasSuffix($0.rawValue) }
        let path = Self.path(name.dropLast(comparison?.rawValue.count ?? 0))
        conditions.append(Condition(name: name, path: path, comparison: comparison, values: [value]))
    }

    // MARK: Finding

    /// - Parameter url: without its query.
    func page(of all: [CollectionItems.Item], url: String) throws(CollectionRefusal) -> Page {
        var found = all
        if !conditions.isEmpty || !texts.isEmpty || !order.isEmpty {
            // They were written by Shunt, so that each is an object.
            let values = all.compactMap { item in
                (try? JSONReader.read(item.text, dialect: .strict)).map { (item: item, value: $0) }
            }
            var kept = values.filter { isMet(by: $0.value) }
            if !order.isEmpty { kept = sorted(kept) }
            found = kept.map(\.item)
        }
        if let number = numbers["_page"] { return page(number, of: found, url) }
        let start = min(numbers["_start"] ?? 0, found.count)
        let end = numbers["_end"] ?? (numbers["_limit"] ?? numbers["_per_page"]).map { start + $0 } ?? found.count
        return Page(items: found[start..<max(start, min(end, found.count))], total: found.count, link: nil)
    }

    private func page(_ number: Int, of found: [CollectionItems.Item], _ url: String) -> Page {
        let size = numbers["_limit"] ?? numbers["_per_page"] ?? Self.usualLimit
        let last = max(1, (found.count + size - 1) / size)
        let start = min((number - 1) * size, found.count)
        var places = [("first", 1)]
        if number > 1 { places.append(("prev", min(number - 1, last))) }
        if number < last { places.append(("next", number + 1)) }
        places.append(("last", last))
        let link = places.map { "<\(url)?\(query(page: $0.1))>; rel=\"\($0.0)\"" }.joined(separator: ", ")
        return Page(items: found[start..<min(start + size, found.count)], total: found.count, link: link)
    }

    /// The same query for another page.
    private func query(page: Int) -> String {
        parameters.map { parameter in
            let name = String(decoding: parameter.name, as: UTF8.self)
            return name == "_page" ? "_page=\(page)" : "\(name)=\(String(decoding: parameter.value, as: UTF8.self))"
        }
        .joined(separator: "&")
    }

    private func isMet(by item: JSONValue) -> Bool {
        texts.allSatisfy { Self.has($0, item) }
            && conditions.allSatisfy { condition in
                let value = item.member(at: condition.path)
                // All of them, where it is the opposite of one of them.
                if condition.comparison == .notEqual {
                    return condition.values.allSatisfy { !Self.isMet(value, nil, $0) }
                }
                return condition.values.contains { Self.isMet(value, condition.comparison, $0) }
            }
    }

    private static func isMet(_ value: JSONValue?, _ comparison: Comparison?, _ wanted: String) -> Bool {
        if let items = value?.array { return items.contains { isMet($0, comparison, wanted) } }
        guard let text = value?.scalarText else { return false }
        let numbers = value?.number?.double.flatMap { own in Double(wanted).map { (own, $0) } }
        switch comparison {
        case nil, .notEqual: return text == wanted || numbers.map { $0.0 == $0.1 } ?? false
        case .less: return numbers.map { $0.0 < $0.1 } ?? (text < wanted)
        case .greater: return numbers.map { $0.0 > $0.1 } ?? (text > wanted)
        case .atMost: return numbers.map { $0.0 <= $0.1 } ?? (text <= wanted)
        case .atLeast: return numbers.map { $0.0 >= $0.1 } ?? (text >= wanted)
        case .like: return text.lowercased().contains(wanted.lowercased())
        }
    }

    /// Whether a text is in any value of an item.
    private static func has(_ text: String, _ value: JSONValue) -> Bool {
        if let items = value.array { return items.contains { has(text, $0) } }
        if let members = value.object { return members.contains { has(text, $0.value) } }
        return value.scalarText?.lowercased().contains(text) ?? false
    }

    // MARK: Order

    private typealias Entry = (item: CollectionItems.Item, value: JSONValue)

    private func sorted(_ entries: [Entry]) -> [Entry] {
        let keyed = entries.enumerated().map { at, entry in
            (at: at, entry: entry, keys: order.map { SortKey(entry.value.member(at: $0.path)) })
        }
        return keyed.sorted { left, right in
            for (at, direction) in order.enumerated() where left.keys[at] != right.keys[at] {
                return (left.keys[at] < right.keys[at]) != direction.isDescending
            }
            return left.at < right.at
        }
        .map(\.entry)
    }

    /// Numbers come before texts, and what has none of both comes last.
    private enum SortKey: Comparable {
        case number(Double)
        case text(String)
        case none

        init(_ value: JSONValue?) {
            if let number = value?.number?.double {
                self = .number(number)
            } else if let text = value?.isNull == false ? value?.scalarText : nil {
                self = .text(text)
            } else {
                self = .none
            }
        }
    }
}
