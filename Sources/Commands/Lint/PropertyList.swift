import Contracts

/// A property list, of XML or binary.
indirect enum PropertyList {
    case dictionary([(key: String, value: PropertyList)])
    case array([PropertyList])
    case string(String)
    case bool(Bool)
    case integer(Int64)
    /// Data, dates, numbers with a fraction: nothing that rules ask for.
    case other

    static func read(_ bytes: [UInt8]) throws(LintFailure) -> PropertyList {
        if bytes.starts(with: Array("bplist".utf8)) { return try BinaryPropertyList.read(bytes) }
        let root = try MarkupElement.root(of: bytes)
        guard root.name == "plist", root.children.count == 1 else {
            throw LintFailure("it is no property list: its root is \(root.name)")
        }
        return try PropertyList(root.children[0])
    }

    subscript(_ key: String) -> PropertyList? {
        guard case .dictionary(let members) = self else { return nil }
        // The system takes one of two equal keys; a rule must not miss the other one.
        let found = members.filter { $0.key == key }
        return (found.first { $0.value.isTrue } ?? found.first)?.value
    }

    /// As the system reads it for a switch.
    var isTrue: Bool {
        switch self {
        case .bool(let flag): flag
        case .integer(let number): number != 0
        case .string(let text): ["yes", "true", "1"].contains(text.lowercased())
        case .dictionary, .array, .other: false
        }
    }

    private init(_ element: MarkupElement) throws(LintFailure) {
        switch element.name {
        case "dict":
            var members: [(key: String, value: PropertyList)] = []
            guard element.children.count.isMultiple(of: 2) else {
                throw LintFailure("line \(element.line ?? 0): a key has no value")
            }
            for index in stride(from: 0, to: element.children.count, by: 2) {
                guard element.children[index].name == "key" else {
                    throw LintFailure("line \(element.children[index].line ?? 0): a key is missing")
                }
                members.append((element.children[index].text, try PropertyList(element.children[index + 1])))
            }
            self = .dictionary(members)
        case "array":
            var values: [PropertyList] = []
            for child in element.children { values.append(try PropertyList(child)) }
            self = .array(values)
        case "string": self = .string(element.text)
        case "true", "false": self = .bool(element.name == "true")
        case "integer":
            guard let number = Int64(element.text) else { throw LintFailure("“\(element.text)” is no integer") }
            self = .integer(number)
        case "data", "date", "real": self = .other
        default: throw LintFailure("line \(element.line ?? 0): there is no type \(element.name)")
        }
    }
}
