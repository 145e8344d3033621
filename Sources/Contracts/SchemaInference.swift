public import JSON

/// A schema that many values fit: their kinds and members, and nothing of what texts and numbers say.
public struct SchemaInference {
    private final class Node {
        var count = 0
        var kinds: SchemaNode.Kinds = []
        var objects = 0
        var names: [String] = []
        var members: [String: (node: Node, count: Int)] = [:]
        /// Members that are not told apart: an object with many is one whose names are data.
        var others: Node?
        var items: Node?
    }

    private static let maxMembers = 100

    private let root = Node()

    public init() {}

    public var isEmpty: Bool { root.count == 0 }

    public func add(_ tape: JSONTape) { Self.add(tape, 0, to: root) }

    /// A value of text, as parameters have them.
    public func add(text: String) {
        let tape = try? JSONTape(Array(text.utf8))
        root.count += 1
        switch tape?.entries.first?.kind {
        case .integer where text.utf8.count < 18: root.kinds.insert(.integer)
        case .integer, .number: root.kinds.insert(.number)
        case .isTrue, .isFalse: root.kinds.insert(.boolean)
        default: root.kinds.insert(.string)
        }
        // A parameter that is not always a number is a text.
        if root.kinds.contains(.string) { root.kinds = .string }
    }

    private static func add(_ tape: JSONTape, _ at: Int, to node: Node) {
        node.count += 1
        switch tape.entries[at].kind {
        case .null: node.kinds.insert(.null)
        case .isTrue, .isFalse: node.kinds.insert(.boolean)
        case .integer: node.kinds.insert(.integer)
        case .number: node.kinds.insert(.number)
        case .string, .escapedString: node.kinds.insert(.string)
        case .array:
            node.kinds.insert(.array)
            let items = node.items ?? Node()
            node.items = items
            for item in tape.items(at) { add(tape, item, to: items) }
        case .object:
            node.kinds.insert(.object)
            node.objects += 1
            var seen: Set<String> = []
            for (key, value) in tape.members(at) {
                let name = tape.text(key)
                let isNew = seen.insert(name).inserted
                if let known = node.members[name] {
                    if isNew { node.members[name]?.count += 1 }
                    add(tape, value, to: known.node)
                } else if node.names.count < maxMembers {
                    let member = Node()
                    node.names.append(name)
                    node.members[name] = (member, 1)
                    add(tape, value, to: member)
                } else {
                    let others = node.others ?? Node()
                    node.others = others
                    add(tape, value, to: others)
                }
            }
        }
    }

    public func write(to writer: inout JSONWriter) { Self.write(root, to: &writer) }

    private static func write(_ node: Node, to writer: inout JSONWriter) {
        writer.object { object in
            let kinds = node.kinds.contains(.number) ? node.kinds.subtracting(.integer) : node.kinds
            let names = SchemaNode.Kinds.names.filter { kinds.contains($0.kinds) }.map(\.name)
            if names.count == 1 {
                object.member("type", names[0])
            } else if names.count > 1 {
                object.array("type") { for name in names { $0.value(name) } }
            }
            if let items = node.items, items.count > 0 {
                object.key("items")
                write(items, to: &object)
            }
            guard node.objects > 0 else { return }
            if let others = node.others {
                object.key("additionalProperties")
                write(others, to: &object)
                return
            }
            guard !node.names.isEmpty else { return }
            object.object("properties") { properties in
                for name in node.names {
                    guard let member = node.members[name] else { continue }
                    properties.key(name)
                    write(member.node, to: &properties)
                }
            }
            let required = node.names.filter { node.members[$0]?.count == node.objects }
            if !required.isEmpty { object.array("required") { for name in required { $0.value(name) } } }
        }
    }
}
