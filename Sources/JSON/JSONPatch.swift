/// Changes to a value, one after the other, as RFC 6902 writes them: `[{"op": "add", "path": "/tags/-", "value": "red"}]`.
public struct JSONPatch: Sendable {
    /// Why it cannot be read, or not be made in a value.
    public struct Failure: Error, Sendable {
        public enum Kind: Sendable {
            /// The patch itself is wrong.
            case malformed
            /// The value is not as the patch expects.
            case conflict
            /// It takes too many steps, or makes too much of too little.
            case tooMuch
        }

        public let kind: Kind
        /// With the operation and the place that it names.
        public let message: String
    }

    private enum Action {
        case add(JSONValue)
        case remove
        case replace(JSONValue)
        case move(from: JSONPointer)
        case copy(from: JSONPointer)
        case test(JSONValue)
    }

    private struct Operation {
        let action: Action
        let path: JSONPointer
        /// For messages.
        let label: String
    }

    private let operations: [Operation]
    /// Operations of one patch, each of which may look at a whole value.
    public static let most = 1000
    /// What all operations together may look at and copy, in values and bytes.
    private static let work = 4 << 20

    public init(_ value: JSONValue) throws(Failure) {
        guard let items = value.array else {
            throw Failure(
                kind: .malformed,
                message: "\(value.position): the patch is \(value.kindName); expected an array of operations (RFC 6902)"
            )
        }
        guard items.count <= Self.most else {
            throw Failure(
                kind: .tooMuch, message: "the patch has \(items.count) operations; expected at most \(Self.most)")
        }
        var operations: [Operation] = []
        for (index, item) in items.enumerated() { operations.append(try Self.operation(item, index)) }
        self.operations = operations
    }

    private static func operation(_ item: JSONValue, _ index: Int) throws(Failure) -> Operation {
        func wrong(_ message: String, at value: JSONValue? = nil) -> Failure {
            Failure(
                kind: .malformed,
                message: "\((value ?? item).position): the operation at index \(index) \(message)")
        }
        func pointer(_ name: String) throws(Failure) -> JSONPointer {
            guard let text = item[name]?.string else {
                throw wrong("has no \"\(name)\"; expected it as text, like \"/name\"", at: item[name])
            }
            guard let pointer = JSONPointer(text) else {
                throw wrong(
                    "has the \(name) \"\(text.prefix(80))\"; expected a JSON Pointer, like \"/name\"", at: item[name])
            }
            return pointer
        }
        func value() throws(Failure) -> JSONValue {
            guard let value = item["value"] else { throw wrong("has no \"value\"") }
            return value
        }
        guard item.object != nil else {
            throw wrong("is \(item.kindName); expected an object with \"op\" and \"path\"")
        }
        let path = try pointer("path")
        let name = item["op"]?.string ?? ""
        let action: Action
        switch name {
        case "add": action = .add(try value())
        case "remove": action = .remove
        case "replace": action = .replace(try value())
        case "test": action = .test(try value())
        case "copy": action = .copy(from: try pointer("from"))
        case "move":
            let from = try pointer("from")
            guard
                from.tokens.count >= path.tokens.count
                    || !path.tokens.starts(with: from.tokens, by: { $0.isSpelled(as: $1) })
            else {
                throw wrong("moves a value into itself", at: item["path"])
            }
            action = .move(from: from)
        default:
            throw wrong(
                "has \(item["op"] == nil ? "no \"op\"" : "another \"op\""); expected add, remove, replace, move, "
                    + "copy or test", at: item["op"])
        }
        let label = "the operation at index \(index), \(name) \"\((item["path"]?.string ?? "").prefix(80))\""
        return Operation(action: action, path: path, label: label)
    }

    /// Makes all changes, or none.
    public func apply(to value: JSONValue) throws(Failure) -> JSONValue {
        var run = JSONPatchRun(value, work: Self.work)
        for operation in operations {
            do throws(JSONPatchRun.Obstacle) {
                let path = operation.path.tokens
                switch operation.action {
                case .add(let value): try run.add(value, at: path)
                case .remove: _ = try run.remove(path)
                case .replace(let value): try run.replace(path, by: value)
                case .move(let from): try run.add(try run.remove(from.tokens), at: path)
                case .copy(let from): try run.add(try run.copy(from.tokens), at: path)
                case .test(let value): try run.test(path, value)
                }
            } catch {
                throw Failure(kind: error.kind, message: "\(operation.label): \(error.message)")
            }
        }
        return run.value
    }
}

/// A value while a patch is made in it.
private struct JSONPatchRun {
    struct Obstacle: Error {
        let kind: JSONPatch.Failure.Kind
        let message: String

        init(_ message: String, _ kind: JSONPatch.Failure.Kind = .conflict) {
            (self.message, self.kind) = (message, kind)
        }
    }

    private(set) var value: JSONValue
    private var left: Int

    init(_ value: JSONValue, work: Int) { (self.value, left) = (value, work) }

    private mutating func spend(_ steps: Int) throws(Obstacle) {
        left -= steps
        if left < 0 { throw Obstacle("the patch takes too much work for this value", .tooMuch) }
    }

    // MARK: Operations

    mutating func add(_ new: JSONValue, at path: [String]) throws(Obstacle) {
        guard path.count + (try depth(new)) <= NestingLimit.values else {
            throw Obstacle("values would nest more than \(NestingLimit.values) levels deep", .tooMuch)
        }
        guard let last = path.last else { return value = new }
        try change(path.dropLast()) { (kind) throws(Obstacle) in
            switch kind {
            case .array(var items):
                let index = last == "-" ? items.count : JSONPointer.index(last)
                guard let index, index <= items.count else { throw Self.noItem(last, items.count) }
                items.insert(new, at: index)
                kind = .array(items)
            case .object(var members):
                let member = JSONMember(key: last, keyPosition: new.position, value: new)
                if let index = members.firstIndex(where: { $0.key.isSpelled(as: last) }) {
                    members[index] = member
                } else {
                    members.append(member)
                }
                kind = .object(members)
            default: throw Self.noContainer(kind)
            }
        }
    }

    mutating func remove(_ path: [String]) throws(Obstacle) -> JSONValue {
        guard let last = path.last else { throw Obstacle("the whole value cannot be taken away") }
        var removed: JSONValue?
        try change(path.dropLast()) { (kind) throws(Obstacle) in
            switch kind {
            case .array(var items):
                guard let index = JSONPointer.index(last), index < items.count else {
                    throw Self.noItem(last, items.count)
                }
                removed = items.remove(at: index)
                kind = .array(items)
            case .object(var members):
                guard let index = members.firstIndex(where: { $0.key.isSpelled(as: last) }) else {
                    throw Self.noMember(last)
                }
                removed = members.remove(at: index).value
                kind = .object(members)
            default: throw Self.noContainer(kind)
            }
        }
        return removed ?? value
    }

    mutating func replace(_ path: [String], by new: JSONValue) throws(Obstacle) {
        guard path.count + (try depth(new)) <= NestingLimit.values else {
            throw Obstacle("values would nest more than \(NestingLimit.values) levels deep", .tooMuch)
        }
        try change(path[...]) { (kind) throws(Obstacle) in kind = new.kind }
    }

    mutating func copy(_ path: [String]) throws(Obstacle) -> JSONValue {
        let found = try get(path)
        try spend(Self.weight(found, most: left))
        return found
    }

    mutating func test(_ path: [String], _ wanted: JSONValue) throws(Obstacle) {
        let found = try get(path)
        try spend(Self.weight(found, most: left))
        guard found.isEqual(to: wanted) else {
            throw Obstacle("it is \(Self.shown(found)), not \(Self.shown(wanted))")
        }
    }

    // MARK: Places

    private mutating func get(_ path: [String]) throws(Obstacle) -> JSONValue {
        var found = value
        for token in path {
            try spend(1 + (found.object?.count ?? 0))
            found = try Self.inner(token, found.kind)
        }
        return found
    }

    private static func inner(_ token: String, _ kind: JSONValue.Kind) throws(Obstacle) -> JSONValue {
        switch kind {
        case .array(let items):
            guard let index = JSONPointer.index(token), index < items.count else { throw noItem(token, items.count) }
            return items[index]
        case .object(let members):
            guard let member = members.first(where: { $0.key.isSpelled(as: token) }) else { throw noMember(token) }
            return member.value
        default: throw noContainer(kind)
        }
    }

    /// Changes the value at a place.
    private mutating func change(
        _ path: ArraySlice<String>, _ body: (inout JSONValue.Kind) throws(Obstacle) -> Void
    ) throws(Obstacle) {
        // Each level is made anew.
        var (levels, found) = ([value], value)
        for token in path {
            try spend(1 + (found.array?.count ?? found.object?.count ?? 0))
            found = try Self.inner(token, found.kind)
            levels.append(found)
        }
        try spend(1 + (found.array?.count ?? found.object?.count ?? 0))
        var kind = found.kind
        try body(&kind)
        for (token, level) in zip(path, levels).reversed() {
            let inner = JSONValue(kind: kind, position: level.position)
            switch level.kind {
            case .array(var items):
                if let index = JSONPointer.index(token) { items[index] = inner }
                kind = .array(items)
            case .object(var members):
                if let index = members.firstIndex(where: { $0.key.isSpelled(as: token) }) {
                    members[index] = JSONMember(key: token, keyPosition: members[index].keyPosition, value: inner)
                }
                kind = .object(members)
            default: break
            }
        }
        value = JSONValue(kind: kind, position: value.position)
    }

    // MARK: Measures

    /// How deep a value nests.
    private mutating func depth(_ value: JSONValue) throws(Obstacle) -> Int {
        try spend(1)
        switch value.kind {
        case .array(let items):
            var deepest = 0
            for item in items { deepest = max(deepest, try depth(item)) }
            return deepest + 1
        case .object(let members):
            var deepest = 0
            for member in members { deepest = max(deepest, try depth(member.value)) }
            return deepest + 1
        default: return 1
        }
    }

    /// Values and bytes of a value, as far as they do not exceed a number.
    private static func weight(_ value: JSONValue, most: Int) -> Int {
        var weight = 1
        switch value.kind {
        case .string(let text): weight += text.utf8.count
        case .number(let number): weight += number.json.utf8.count
        case .array(let items):
            for item in items where weight <= most { weight += Self.weight(item, most: most - weight) }
        case .object(let members):
            for member in members where weight <= most {
                weight += member.key.utf8.count + Self.weight(member.value, most: most - weight)
            }
        default: break
        }
        return weight
    }

    // MARK: Messages

    private static func shown(_ value: JSONValue) -> String {
        switch value.kind {
        case .array, .object: value.kindName + " that is another one"
        case .string(let text) where text.utf8.count > 60: "a longer string"
        default: String(decoding: JSONLiteral(value).text.prefix(80), as: UTF8.self)
        }
    }

    private static func noItem(_ token: String, _ count: Int) -> Obstacle {
        Obstacle("there is no item \(token.prefix(80)) in an array of \(count)")
    }

    private static func noMember(_ name: String) -> Obstacle { Obstacle("there is no member \"\(name.prefix(80))\"") }

    private static func noContainer(_ kind: JSONValue.Kind) -> Obstacle {
        Obstacle(
            "nothing is inside of \(JSONValue(kind: kind, position: JSONPosition(offset: 0, line: 1, column: 1)).kindName)"
        )
    }
}
