/// A value that has a form in JSON.
public protocol JSONWritable {
    func write(to writer: inout JSONWriter)
}

/// The members of an object, in their order: `["name": name, "port": port]`.
public struct JSONMembers: ExpressibleByDictionaryLiteral {
    private var all: [(name: String, value: any JSONWritable)]

    public init(dictionaryLiteral members: (String, any JSONWritable)...) { all = members.map { ($0.0, $0.1) } }

    /// The same with one more, unless its value is nil.
    public func with(_ name: String, _ value: (any JSONWritable)?) -> JSONMembers {
        guard let value else { return self }
        var members = self
        members.all.append((name, value))
        return members
    }

    /// Writes them within an object.
    public func write(to writer: inout JSONWriter) {
        for member in all {
            writer.key(member.name)
            member.value.write(to: &writer)
        }
    }
}

extension JSONWriter {
    /// Members of the object that is being written.
    public mutating func members(_ members: JSONMembers) { members.write(to: &self) }

    /// A value as a text of its own.
    public static func text(of value: some JSONWritable) -> String { String(decoding: bytes(of: value), as: UTF8.self) }

    /// The same as bytes.
    public static func bytes(of value: some JSONWritable) -> [UInt8] {
        var writer = JSONWriter()
        value.write(to: &writer)
        return writer.bytes
    }

    /// An object as a text of its own.
    public static func object(_ style: Style, _ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(style: style)
        writer.object(members)
        return writer.bytes
    }

    /// The same of members that are a literal.
    public static func object(_ style: Style, _ members: JSONMembers) -> [UInt8] { object(style, members.write) }

    /// The same in the compact style.
    public static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] { object(.compact, members) }

    /// The same of a literal.
    public static func object(_ members: JSONMembers) -> [UInt8] { object(.compact, members.write) }

    /// An object that has these members alone.
    public mutating func object(_ members: JSONMembers) { object(members.write) }

    /// A member that is such an object.
    public mutating func object(_ name: String, _ members: JSONMembers) { object(name, members.write) }
}

extension String: JSONWritable {
    public func write(to writer: inout JSONWriter) { writer.value(self) }
}

extension Bool: JSONWritable {
    public func write(to writer: inout JSONWriter) { writer.value(self) }
}

extension Double: JSONWritable {
    public func write(to writer: inout JSONWriter) { writer.value(self) }
}

extension FixedWidthInteger {
    public func write(to writer: inout JSONWriter) { writer.value(self) }
}

extension Int: JSONWritable {}
extension Int32: JSONWritable {}
extension Int64: JSONWritable {}
extension UInt16: JSONWritable {}
extension UInt32: JSONWritable {}
extension UInt64: JSONWritable {}

extension JSONValue: JSONWritable {
    public func write(to writer: inout JSONWriter) { writer.value(self) }
}

extension Optional: JSONWritable where Wrapped: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        if let self { self.write(to: &writer) } else { writer.null() }
    }
}

extension Array: JSONWritable where Element: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.array { for element in self { element.write(to: &$0) } }
    }
}
