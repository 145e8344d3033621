import JSON

/// The types of google/protobuf whose JSON is not an object of their fields.
extension ProtobufEncoder {
    func writeKnown(
        _ message: ProtobufMessage, _ json: JSONValue, to writer: inout ProtobufWriter
    ) throws(JSONFailure) {
        let name = String(message.name.dropFirst(ProtobufJSON.package.count))
        func wrong(_ expected: String) -> JSONFailure {
            JSONFailure(
                position: json.position, message: "\(Self.spelling(json)) where a \(message.name) should be",
                expected: expected)
        }
        switch name {
        case "Timestamp":
            guard let time = json.string.flatMap({ ProtobufTime.timestamp($0) }) else {
                throw wrong("a time like \"2026-11-27T10:00:00Z\"")
            }
            write(time, to: &writer)
        case "Duration":
            guard let time = json.string.flatMap({ ProtobufTime.duration($0) }) else {
                throw wrong("a time like \"1.5s\"")
            }
            write(time, to: &writer)
        case "FieldMask":
            guard let text = json.string else { throw wrong("paths like \"user.displayName,photo\"") }
            for path in text.split(separator: ",") { writer.text(1, Self.fileName(path)) }
        case "Struct":
            guard let members = json.object else { throw wrong("an object") }
            for member in members {
                try writer.message(1) { (entry) throws(JSONFailure) in
                    entry.text(1, member.key)
                    try entry.message(2) { (value) throws(JSONFailure) in try write(value: member.value, to: &value) }
                }
            }
        case "ListValue":
            guard let items = json.array else { throw wrong("an array") }
            for item in items {
                try writer.message(1) { (value) throws(JSONFailure) in try write(value: item, to: &value) }
            }
        case "Value": try write(value: json, to: &writer)
        case "Any": try writeAny(json, to: &writer)
        default:
            guard let field = message.field(1) else { return }
            // The default is not written.
            if case .string = field.kind, json.string == "" { return }
            try write(one: field, json, to: &writer)
        }
    }

    private func write(_ time: (seconds: Int64, nanos: Int64), to writer: inout ProtobufWriter) {
        if time.seconds != 0 { writer.varint(1, UInt64(bitPattern: time.seconds)) }
        if time.nanos != 0 { writer.varint(2, UInt64(bitPattern: time.nanos)) }
    }

    /// Any JSON, whose depth the reader bounds.
    private func write(value json: JSONValue, to writer: inout ProtobufWriter) throws(JSONFailure) {
        switch json.kind {
        case .null: writer.varint(1, 0)
        case .number(let number):
            guard let double = number.double else {
                throw JSONFailure(
                    position: json.position, message: "\(number.text) is too great", expected: "a number of 64 bits")
            }
            writer.fixed64(2, double.bitPattern)
        case .string(let text): writer.text(3, text)
        case .bool(let flag): writer.varint(4, flag ? 1 : 0)
        case .object(let members):
            try writer.message(5) { (inner) throws(JSONFailure) in
                for member in members {
                    try inner.message(1) { (entry) throws(JSONFailure) in
                        entry.text(1, member.key)
                        try entry.message(2) { (value) throws(JSONFailure) in
                            try write(value: member.value, to: &value)
                        }
                    }
                }
            }
        case .array(let items):
            try writer.message(6) { (inner) throws(JSONFailure) in
                for item in items {
                    try inner.message(1) { (value) throws(JSONFailure) in try write(value: item, to: &value) }
                }
            }
        }
    }

    func writeAny(_ json: JSONValue, to writer: inout ProtobufWriter) throws(JSONFailure) {
        guard let members = json.object else {
            throw JSONFailure(
                position: json.position, message: "\(json.kindName) where a google.protobuf.Any should be",
                expected: "an object with \"@type\"")
        }
        if members.isEmpty { return }
        guard let type = members.first(where: { $0.key == "@type" }), let url = type.value.string,
            let name = url.split(separator: "/").last, let message = schema.messages[String(name)]
        else {
            throw JSONFailure(
                position: json.position, message: "a google.protobuf.Any without the type of a message that is known",
                expected: "\"@type\": \"type.googleapis.com/NAME\" with a message of the schema")
        }
        var inner = ProtobufWriter()
        let rest = members.filter { $0.key != "@type" }
        if Self.isKnown(message.name) {
            guard rest.count == 1, rest[0].key == "value" else {
                throw JSONFailure(
                    position: json.position,
                    message: "a \(message.name) within a google.protobuf.Any without \"value\"",
                    expected: "\"value\" beside \"@type\"")
            }
            try write(message, rest[0].value, to: &inner)
        } else {
            try write(message, JSONValue(kind: .object(rest), position: json.position), to: &inner)
        }
        writer.text(1, url)
        if !inner.bytes.isEmpty { writer.data(2, inner.bytes) }
    }

    /// `display_name` of `displayName`.
    private static func fileName(_ path: some StringProtocol) -> String {
        path.reduce(into: "") { name, character in
            if character.isUppercase { name += "_" + character.lowercased() } else { name.append(character) }
        }
    }
}
