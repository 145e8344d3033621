/// A place in a text: the byte offset for programs, line and column for people.
///
/// Lines and columns count from 1; a column is one Unicode scalar, a leading byte order mark has none.
public struct JSONPosition: Hashable, Sendable, CustomStringConvertible {
    public let offset: Int
    public let line: Int
    public let column: Int

    public init(offset: Int, line: Int, column: Int) {
        self.offset = offset
        self.line = line
        self.column = column
    }

    public var description: String { "line \(line), column \(column)" }
}

/// A JSON value that remembers where it was written.
public struct JSONValue: Sendable {
    public enum Kind: Sendable {
        case null
        case bool(Bool)
        /// Boxed, so that all other kinds are small.
        indirect case number(JSONNumber)
        case string(String)
        case array([JSONValue])
        case object([JSONMember])
    }

    public let kind: Kind
    public let position: JSONPosition

    public init(kind: Kind, position: JSONPosition) {
        self.kind = kind
        self.position = position
    }
}

extension JSONValue {
    /// Feeds what it says to a hasher, without where it stands.
    package func hashContent(into hasher: inout Hasher) {
        switch kind {
        case .null: hasher.combine(0)
        case .bool(let flag): hasher.combine(flag)
        case .number(let number): hasher.combine(number.json)
        case .string(let text): Self.hash(text, into: &hasher)
        case .array(let items):
            hasher.combine(items.count)
            for item in items { item.hashContent(into: &hasher) }
        case .object(let members):
            hasher.combine(-1 - members.count)
            for member in members {
                Self.hash(member.key, into: &hasher)
                member.value.hashContent(into: &hasher)
            }
        }
    }

    /// By its bytes: equal accented letters in two spellings are two texts.
    private static func hash(_ text: String, into hasher: inout Hasher) {
        hasher.combine(text.utf8.count)
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// One `"key": value` of an object; members keep the order of the text.
public struct JSONMember: Sendable {
    public let key: String
    public let keyPosition: JSONPosition
    public let value: JSONValue

    public init(key: String, keyPosition: JSONPosition, value: JSONValue) {
        self.key = key
        self.keyPosition = keyPosition
        self.value = value
    }
}

extension JSONValue {
    public var string: String? {
        if case .string(let text) = kind { text } else { nil }
    }

    public var bool: Bool? {
        if case .bool(let flag) = kind { flag } else { nil }
    }

    public var number: JSONNumber? {
        if case .number(let number) = kind { number } else { nil }
    }

    public var array: [JSONValue]? {
        if case .array(let items) = kind { items } else { nil }
    }

    public var object: [JSONMember]? {
        if case .object(let members) = kind { members } else { nil }
    }

    public var isNull: Bool {
        if case .null = kind { true } else { false }
    }

    /// The member of that name, or nil when there is none or this is no object.
    public subscript(_ key: String) -> JSONValue? {
        object?.first { $0.key.isSpelled(as: key) }?.value
    }

    /// Whether both mean the same: members may come in any order, and a number in any spelling.
    public func isEqual(to other: JSONValue) -> Bool {
        switch (kind, other.kind) {
        case (.null, .null): true
        case (.bool(let mine), .bool(let theirs)): mine == theirs
        case (.string(let mine), .string(let theirs)): mine.isSpelled(as: theirs)
        case (.number(let mine), .number(let theirs)):
            mine.json == theirs.json || mine.double != nil && mine.double == theirs.double
        case (.array(let mine), .array(let theirs)):
            mine.count == theirs.count && zip(mine, theirs).allSatisfy { $0.isEqual(to: $1) }
        case (.object(let mine), .object(let theirs)): mine.count == theirs.count && Self.areEqual(mine, theirs)
        default: false
        }
    }

    /// Whether members are equal to as many others.
    private static func areEqual(_ mine: [JSONMember], _ theirs: [JSONMember]) -> Bool {
        // Few are found sooner than a table is made.
        guard mine.count > 16 else {
            return mine.allSatisfy { member in
                theirs.first { $0.key.isSpelled(as: member.key) }.map { member.value.isEqual(to: $0.value) } ?? false
            }
        }
        let values = Dictionary(theirs.map { (Array($0.key.utf8), $0.value) }) { first, _ in first }
        return mine.allSatisfy { member in values[Array(member.key.utf8)].map { member.value.isEqual(to: $0) } ?? false
        }
    }

    /// What this is, for messages: "a string", "an object".
    public var kindName: String {
        switch kind {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
