package import JSON

/// A member of an object of the admin interface; the line that declares it is all there is to it.
///
/// From it the server writes, the client reads, and `docs/openapi.json` is made.
package struct Member<Value: MemberValue>: Sendable {
    package let name: String
    /// What it says, for people.
    package let meaning: String
    package let limits: MemberLimits
    /// Without a value it is left out, instead of null.
    package let isOmitted: Bool
    /// What counts where a query lacks it.
    package let standard: Value?

    package init(
        _ name: String, _ meaning: String = "", min: Int? = nil, max: Int? = nil, of words: [String] = [],
        omitted isOmitted: Bool = false, default standard: Value? = nil
    ) {
        (self.name, self.meaning, self.isOmitted, self.standard) = (name, meaning, isOmitted, standard)
        limits = MemberLimits(min: min, max: max, words: words)
    }
}

extension Member where Value: MemberWord {
    /// One of the words of an enumeration.
    package init(_ name: String, _ meaning: String = "", default standard: Value? = nil) {
        self.init(name, meaning, of: Value.allCases.map(\.rawValue), default: standard)
    }
}

/// The values that a member may have, beyond its kind.
package struct MemberLimits: Sendable {
    package let min: Int?
    package let max: Int?
    package let words: [String]
}

/// What values of one kind look like.
package indirect enum Shape: Sendable {
    case text, integer, number, flag
    /// Any JSON, which its meaning describes.
    case any
    case list(Shape)
    case optional(Shape)
    /// An object with the members of a table.
    case object(name: String, members: [any AnyMember])
}

/// A member of any kind.
package protocol AnyMember: Sendable {
    var name: String { get }
    var meaning: String { get }
    var limits: MemberLimits { get }
    var isOmitted: Bool { get }
    var defaultValue: (any MemberValue)? { get }
    var shape: Shape { get }
    /// Its value; nil if that is of another kind.
    func value(_ json: JSONValue) -> (any MemberValue)?
    var blank: any MemberValue { get }
    func write(_ value: (any MemberValue)?, to object: inout JSONWriter)
}

extension Member: AnyMember {
    package var shape: Shape { Value.shape }
    package var blank: any MemberValue { Value.blank }
    package var defaultValue: (any MemberValue)? { standard }

    package func value(_ json: JSONValue) -> (any MemberValue)? { Value(member: json) }

    package func write(_ value: (any MemberValue)?, to object: inout JSONWriter) {
        assert(value != nil || isOmitted || Value.blank.isNothing, "“\(name)” has no value")
        let value: Value = value as? Value ?? Value.blank
        if isOmitted, value.isNothing { return }
        object.key(name)
        value.write(to: &object)
    }
}
