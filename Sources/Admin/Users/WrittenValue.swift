import JSON

extension JSONValue {
    /// What a writer writes, as commands that ask no running Shunt show it.
    static func written(_ members: (inout JSONWriter) -> Void) -> JSONValue {
        var writer = JSONWriter()
        writer.object(members)
        let nothing = JSONValue(kind: .null, position: JSONPosition(offset: 0, line: 1, column: 1))
        return (try? JSONReader.read(writer.bytes, dialect: .strict)) ?? nothing
    }
}
