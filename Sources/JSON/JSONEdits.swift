/// A JSON value with its text in strict JSON.
public struct JSONLiteral: Hashable, Sendable {
    public let value: JSONValue
    public let text: [UInt8]

    public init(_ value: JSONValue) {
        self.value = value
        text = JSONWriter.bytes(of: value)
    }

    public static func == (left: JSONLiteral, right: JSONLiteral) -> Bool { left.text == right.text }

    public func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// Its text within objects for the rest of a path; nil where that has more than names.
    func below(_ path: ArraySlice<JSONPath.Step>) -> [UInt8]? {
        var text = text
        for step in path.reversed() {
            guard case .key(let name) = step else { return nil }
            text = [UInt8(ascii: "{")] + JSONDocument.front(Array(name.utf8), []) + text + [UInt8(ascii: "}")]
        }
        return text
    }
}

/// Changes to JSON texts, which are made in this order: merged, removed, set, appended, incremented.
public struct JSONEdits: Hashable, Sendable {
    /// A path with the value for it.
    public struct Placed: Hashable, Sendable {
        public let path: JSONPath
        public let value: JSONLiteral

        public init(_ path: JSONPath, _ value: JSONLiteral) { (self.path, self.value) = (path, value) }
    }

    /// Values that a text has to have.
    public var conditions: [Placed] = []
    /// A patch of RFC 7396.
    public var patch: JSONLiteral?
    public var remove: [JSONPath] = []
    public var set: [Placed] = []
    public var append: [Placed] = []
    /// Numbers that are added.
    public var increment: [Placed] = []

    public init() {}

    public var isEmpty: Bool {
        patch == nil && remove.isEmpty && set.isEmpty && append.isEmpty && increment.isEmpty
    }

    /// A text after all edits; nil where they change nothing.
    public static func apply(_ all: [JSONEdits], to text: [UInt8]) throws(JSONFailure) -> [UInt8]? {
        let document = try JSONDocument(text)
        var isChanged = false
        for edits in all where edits.make(in: document) { isChanged = true }
        return isChanged ? document.written : nil
    }

    private func make(in document: JSONDocument) -> Bool {
        guard conditions.allSatisfy({ document.has($0.value, at: $0.path.steps[...]) }) else { return false }
        var isChanged = patch.map { document.merge($0.value) } ?? false
        func make(_ change: JSONDocument.Change, _ path: JSONPath) {
            if document.make(change, at: path.steps[...]) { isChanged = true }
        }
        for path in remove { make(.remove, path) }
        for placed in set { make(.set(placed.value), placed.path) }
        for placed in append { make(.append(placed.value), placed.path) }
        for placed in increment { if let number = placed.value.value.number { make(.increment(number), placed.path) } }
        return isChanged
    }
}

extension JSONEdits {
    /// Writes the members of the object that stands for them, without the patch.
    public func writeMembers(to writer: inout JSONWriter) {
        func write(_ key: String, _ placed: [Placed]) {
            guard !placed.isEmpty else { return }
            writer.object(key) { object in
                for place in placed {
                    object.key(place.path.text)
                    object.value(place.value.value)
                }
            }
        }
        write("if", conditions)
        if !remove.isEmpty { writer.member("remove", remove.map(\.text)) }
        write("set", set)
        write("append", append)
        write("increment", increment)
    }
}
