package import JSON

/// A value that a ``Member`` can have.
package protocol MemberValue: JSONWritable, Sendable {
    static var shape: Shape { get }
    /// What counts where the other end is of another version and has no such member.
    static var blank: Self { get }
    /// It is null or empty.
    var isNothing: Bool { get }
    /// nil where the JSON is of another kind.
    init?(member json: JSONValue)
}

extension MemberValue {
    package var isNothing: Bool { false }
}

extension String: MemberValue {
    package static var shape: Shape { .text }
    package static var blank: String { "" }

    package init?(member json: JSONValue) {
        guard let text = json.string else { return nil }
        self = text
    }
}

/// One of the words of an enumeration.
package protocol MemberWord: MemberValue, RawRepresentable<String>, CaseIterable {}

extension MemberWord {
    package static var shape: Shape { .text }
    package static var blank: Self { allCases[allCases.startIndex] }

    package init?(member json: JSONValue) { self.init(rawValue: json.string ?? "") }

    package func write(to writer: inout JSONWriter) { writer.value(rawValue) }
}

extension Bool: MemberValue {
    package static var shape: Shape { .flag }
    package static var blank: Bool { false }

    package init?(member json: JSONValue) {
        guard let flag = json.bool else { return nil }
        self = flag
    }
}

extension Int: MemberValue {
    package static var shape: Shape { .integer }
    package static var blank: Int { 0 }

    package init?(member json: JSONValue) {
        guard let number = json.number?.int64, let whole = Int(exactly: number) else { return nil }
        self = whole
    }
}

extension Double: MemberValue {
    package static var shape: Shape { .number }
    package static var blank: Double { 0 }

    package init?(member json: JSONValue) {
        guard let number = json.number?.double else { return nil }
        self = number
    }
}

extension JSONValue: MemberValue {
    package static var shape: Shape { .any }
    package static var blank: JSONValue {
        JSONValue(kind: .null, position: JSONPosition(offset: 0, line: 1, column: 1))
    }
    package var isNothing: Bool { isNull }

    package init?(member json: JSONValue) { self = json }
}

extension Optional: MemberValue where Wrapped: MemberValue {
    package static var shape: Shape { .optional(Wrapped.shape) }
    package static var blank: Wrapped? { .none }
    package var isNothing: Bool { self == nil }

    package init?(member json: JSONValue) {
        if json.isNull {
            self = .none
        } else {
            guard let value = Wrapped(member: json) else { return nil }
            self = .some(value)
        }
    }
}

extension Array: MemberValue where Element: MemberValue {
    package static var shape: Shape { .list(Element.shape) }
    package static var blank: [Element] { [] }
    package var isNothing: Bool { isEmpty }

    package init?(member json: JSONValue) {
        guard let items = json.array else { return nil }
        self = items.compactMap(Element.init(member:))
        guard count == items.count else { return nil }
    }
}
