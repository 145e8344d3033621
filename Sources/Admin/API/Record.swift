package import JSON

/// The members of one kind of object, a constant for each: `let pid = Member<Int>("pid", "Its process.")`.
///
/// A class, since its tables inherit the initializer.
package class Members {
    package required init() {}

    /// In the order of their lines.
    package static var list: [any AnyMember] {
        Mirror(reflecting: self.init()).children.compactMap { $0.value as? any AnyMember }
    }
}

/// An object with the members of a table, which are properties: `record.pid`.
@dynamicMemberLookup
package struct Record<Table: Members>: MemberValue {
    private var values: [String: any MemberValue] = [:]
    /// As it was received, with members that this version does not know.
    private var received: JSONValue?

    package init(_ fill: (inout Record) -> Void) { fill(&self) }

    /// An object that a writer of another module writes.
    static func written(by members: (inout JSONWriter) -> Void) -> Record {
        return Record(json: JSONWriter.object(members)) ?? .blank
    }

    package subscript<Value: MemberValue>(dynamicMember path: KeyPath<Table, Member<Value>>) -> Value {
        get { values[Self.name(path)] as? Value ?? .blank }
        set {
            values[Self.name(path)] = newValue
            received = nil
        }
    }

    /// Never inlined: the making of a whole table at each use of a member doubles the size of Admin.
    @inline(never)
    private static func name<Value>(_ path: KeyPath<Table, Member<Value>>) -> String { Table()[keyPath: path].name }

    func value(_ name: String) -> (any MemberValue)? { values[name] }

    mutating func put(_ value: any MemberValue, _ name: String) { values[name] = value }

    package static var shape: Shape { .object(name: "\(Table.self)", members: Table.list) }
    package static var blank: Record { Record { _ in } }

    /// Reads an object leniently: a member that is missing or of another kind is blank.
    package init?(member json: JSONValue) {
        guard json.object != nil else { return nil }
        for member in Table.list { values[member.name] = json[member.name].flatMap(member.value) ?? member.blank }
        received = json
    }

    package func write(to writer: inout JSONWriter) {
        if let received { return writer.value(received) }
        writer.object(writeMembers)
    }

    package func writeMembers(to object: inout JSONWriter) {
        if let received {
            for member in received.object ?? [] { object.member(member.key, member.value) }
        } else {
            for member in Table.list { member.write(values[member.name], to: &object) }
        }
    }

    /// With members that are in no table, where it was received.
    package var json: JSONValue { received ?? (try? JSONReader.read(bytes, dialect: .strict)) ?? .blank }

    package var bytes: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }
}

extension Record {
    /// Reads the bytes of a file or a response; nil unless they are an object with the table's first member.
    package init?(json bytes: [UInt8]) {
        guard let value = try? JSONReader.read(bytes, dialect: .strict) else { return nil }
        self.init(json: value)
    }

    package init?(json value: JSONValue) {
        if let first = Table.list.first, !first.isOmitted, value[first.name] == nil { return nil }
        self.init(member: value)
    }
}
