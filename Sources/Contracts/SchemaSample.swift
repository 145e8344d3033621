import Bytes
import JSON

/// A value that fits a schema, as far as that can be told without a search: its examples, else one made by a seed.
struct SchemaSample {
    private let graph: SchemaSet
    private let direction: SchemaDirection
    private var random: SplitMix64
    /// Values that may still be made.
    private var left = 5000

    /// From here on members that are not required are left out, and deeper values are empty.
    private static let (fullDepth, maxDepth) = (6, 24)

    init(_ graph: SchemaSet, direction: SchemaDirection, seed: UInt64) {
        (self.graph, self.direction) = (graph, direction)
        random = SplitMix64(seed: seed)
    }

    mutating func value(of node: Int) -> JSONValue { value([node], 0) }

    private static func made(_ kind: JSONValue.Kind) -> JSONValue {
        JSONValue(kind: kind, position: JSONPosition(offset: 0, line: 1, column: 1))
    }

    private mutating func pick(_ count: Int) -> Int { Int(random.next() % UInt64(max(count, 1))) }

    /// A value for several schemas at once.
    private mutating func value(_ first: [Int], _ depth: Int) -> JSONValue {
        left -= 1
        let nodes = all(first)
        for node in nodes {
            let value = graph.nodes[node].source.value
            if let given = value["const"] ?? value["example"] ?? value["examples"]?.array?.first ?? value["default"] {
                return given
            }
            if let choices = value["enum"]?.array, !choices.isEmpty { return choices[pick(choices.count)] }
        }
        guard depth < Self.maxDepth, left > 0 else { return Self.made(.null) }
        let kinds = nodes.compactMap { graph.nodes[$0].kinds }.reduce(SchemaNode.Kinds(rawValue: 127)) {
            $0.intersection($1.contains(.number) ? $1.union(.integer) : $1)
        }
        let names = nodes.contains { graph.nodes[$0].object != nil }
        if kinds.contains(.object), names || kinds.rawValue != 127 { return object(nodes, depth) }
        if kinds.contains(.array), kinds.rawValue != 127 || nodes.contains(where: { graph.nodes[$0].array != nil }) {
            return array(nodes, depth)
        }
        if kinds.rawValue == 127, nodes.allSatisfy({ graph.nodes[$0].string == nil && graph.nodes[$0].number == nil }) {
            return Self.made(.string("text"))
        }
        if kinds.contains(.string) { return Self.made(.string(string(nodes))) }
        if kinds.contains(.integer) || kinds.contains(.number) { return Self.made(.number(number(nodes))) }
        if kinds.contains(.boolean) { return Self.made(.bool(pick(2) == 1)) }
        return Self.made(.null)
    }

    /// The schemas with those that they refer to; of alternatives the first that is not for null alone.
    private func all(_ first: [Int]) -> [Int] {
        var (open, found) = (Array(first.reversed()), [Int]())
        while let next = open.popLast(), found.count < 100 {
            guard !found.contains(next) else { continue }
            found.append(next)
            let node = graph.nodes[next]
            open += [node.reference, node.dynamicReference?.node].compactMap(\.self)
            guard let rules = node.combination?.pointee else { continue }
            open += rules.all.reversed()
            for choices in [rules.any, rules.one] {
                if let one = choices.first(where: { graph.nodes[$0].kinds != .null }) { open.append(one) }
            }
        }
        return found
    }

    private mutating func object(_ nodes: [Int], _ depth: Int) -> JSONValue {
        var names: [String] = []
        var schemas: [String: [Int]] = [:]
        var required: Set<String> = []
        for rules in nodes.compactMap({ graph.nodes[$0].object?.pointee }) {
            for member in rules.members {
                // What is only written is not in responses, and what is only read not in requests.
                if let exempt = member.exempt, exempt == direction { continue }
                if schemas[member.name] == nil { names.append(member.name) }
                schemas[member.name, default: []] += member.schema.map { [$0] } ?? []
                if member.isRequired { required.insert(member.name) }
            }
        }
        var members: [JSONMember] = []
        for name in names where depth < Self.fullDepth || required.contains(name) {
            let value = value(schemas[name] ?? [], depth + 1)
            members.append(JSONMember(key: name, keyPosition: value.position, value: value))
        }
        return Self.made(.object(members))
    }

    private mutating func array(_ nodes: [Int], _ depth: Int) -> JSONValue {
        let rules = nodes.compactMap { graph.nodes[$0].array?.pointee }
        let prefix = rules.map(\.prefix).first { !$0.isEmpty } ?? []
        let items = rules.compactMap(\.items)
        let low = rules.compactMap(\.minItems).max() ?? 1
        let count = min(
            max(low, prefix.count, depth < Self.fullDepth ? 1 : 0), rules.compactMap(\.maxItems).min() ?? .max, 100)
        return Self.made(
            .array((0..<count).map { index in value(index < prefix.count ? [prefix[index]] : items, depth + 1) }))
    }

    private mutating func number(_ nodes: [Int]) -> JSONNumber {
        let rules = nodes.compactMap { graph.nodes[$0].number?.pointee }
        if let unit = rules.compactMap(\.unit).first,
            rules.allSatisfy({ $0.minimum == nil && $0.exclusiveMinimum == nil })
        {
            return unit
        }
        let low = rules.compactMap { $0.minimum?.double ?? $0.exclusiveMinimum.map { $0.double + 1 } }.max()
        let high = rules.compactMap { $0.maximum?.double ?? $0.exclusiveMaximum.map { $0.double - 1 } }.min()
        let start = (low ?? min(1, high ?? 1)).rounded(.up)
        let room = min(high ?? start + 1000, start + 1000) - start
        // Where no whole number is between both, the lower end is as good as any.
        guard abs(start) < 1e15, room >= 0 else { return low.map { JSONNumber(json: "\($0)") } ?? JSONNumber(0) }
        return JSONNumber(Int64(start) + Int64(pick(Int(room) + 1)))
    }

    private mutating func string(_ nodes: [Int]) -> String {
        let number = pick(1000)
        let format = nodes.compactMap { graph.nodes[$0].source.value["format"]?.string }.first
        let day = "2026-01-" + (number % 28 < 9 ? "0" : "") + "\(number % 28 + 1)"
        switch format {
        case "date-time": return day + "T12:00:00Z"
        case "date": return day
        case "time": return "12:00:00Z"
        case "email": return "user\(number)@example.com"
        case "uuid":
            return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - "\(number)".utf8.count) + "\(number)"
        case "uri", "url": return "https://example.com/\(number)"
        case "uri-reference": return "/\(number)"
        case "hostname": return "host\(number).example.com"
        case "ipv4": return "192.0.2.\(number % 255)"
        case "ipv6": return "2001:db8::\(number)"
        case "byte": return "dGV4dA=="
        default: break
        }
        var text = "text\(number)"
        let rules = nodes.compactMap { graph.nodes[$0].string?.pointee }
        let low = min(rules.compactMap(\.minLength).max() ?? 0, 1000)
        if text.utf8.count < low { text += String(repeating: "x", count: low - text.utf8.count) }
        return String(text.prefix(rules.compactMap(\.maxLength).min() ?? .max))
    }
}
