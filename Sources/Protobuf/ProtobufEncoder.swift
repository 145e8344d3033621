import Bytes
public import JSON

extension ProtobufType {
    /// The message that JSON says (protobuf.dev, "ProtoJSON Format"); names may also be those of the file.
    public func bytes(of json: JSONValue) throws(JSONFailure) -> [UInt8] {
        var writer = ProtobufWriter()
        try ProtobufEncoder(schema: schema).write(message, json, to: &writer)
        return writer.bytes
    }
}

extension ProtobufSchema {
    /// The `google.protobuf.Any` that JSON with `@type` says.
    public func any(_ json: JSONValue) throws(JSONFailure) -> [UInt8] {
        var writer = ProtobufWriter()
        try ProtobufEncoder(schema: self).writeAny(json, to: &writer)
        return writer.bytes
    }
}

/// Writes messages of what JSON says.
struct ProtobufEncoder {
    let schema: ProtobufSchema

    /// Messages whose JSON is not an object of their fields.
    static func isKnown(_ name: String) -> Bool {
        guard name.hasPrefix(ProtobufJSON.package) else { return false }
        let name = String(name.dropFirst(ProtobufJSON.package.count))
        return ProtobufJSON.wrappers.contains(name)
            || ["Timestamp", "Duration", "FieldMask", "Any", "Struct", "ListValue", "Value"].contains(name)
    }

    func write(
        _ message: ProtobufMessage, _ json: JSONValue, to writer: inout ProtobufWriter
    ) throws(JSONFailure) {
        if Self.isKnown(message.name) { return try writeKnown(message, json, to: &writer) }
        guard let members = json.object else {
            throw JSONFailure(
                position: json.position, message: "\(json.kindName) where the message \(message.name) should be",
                expected: "an object")
        }
        try write(message, members, to: &writer)
    }

    /// In the order of the fields' numbers.
    private func write(
        _ message: ProtobufMessage, _ members: [JSONMember], to writer: inout ProtobufWriter
    ) throws(JSONFailure) {
        var found: [(field: ProtobufField, member: JSONMember)] = []
        for member in members {
            guard let field = message.field(named: member.key) else {
                let names = message.fields.map(\.jsonName)
                throw JSONFailure(
                    position: member.keyPosition, message: "the message \(message.name) has no field \"\(member.key)\"",
                    expected: names.isEmpty
                        ? "an empty object"
                        : "one of \(names.prefix(20).joined(separator: ", "))" + (names.count > 20 ? " and others" : "")
                )
            }
            if let other = found.first(where: { $0.field.number == field.number }) {
                throw JSONFailure(
                    position: member.keyPosition,
                    message: "\"\(member.key)\" and \"\(other.member.key)\" are one field",
                    expected: "one of them")
            }
            if member.value.isNull, !field.takesNull { continue }
            if let oneof = field.oneof, let other = found.first(where: { $0.field.oneof == oneof }) {
                throw JSONFailure(
                    position: member.keyPosition,
                    message: "\"\(member.key)\" and \"\(other.member.key)\" are members of one oneof",
                    expected: "one of them")
            }
            found.append((field, member))
        }
        for (field, member) in found.sorted(by: { $0.field.number < $1.field.number }) {
            try write(field, member.value, to: &writer)
        }
    }

    private func write(_ field: ProtobufField, _ json: JSONValue, to writer: inout ProtobufWriter) throws(JSONFailure) {
        guard field.isRepeated else { return try write(one: field, json, to: &writer) }
        if case .message(let name) = field.kind, let entry = schema.messages[name], entry.isMapEntry {
            guard let members = json.object, let (key, value) = entry.keyAndValue else {
                throw wrong(field, json, "an object")
            }
            for member in members {
                let name = JSONValue(kind: .string(member.key), position: member.keyPosition)
                try writer.message(field.number) { (writer) throws(JSONFailure) in
                    try write(one: key, name, to: &writer)
                    try write(one: value, member.value, to: &writer)
                }
            }
            return
        }
        guard let items = json.array else { throw wrong(field, json, "an array") }
        guard field.isPacked, field.canBePacked, !items.isEmpty else {
            for item in items { try write(one: field, item, to: &writer) }
            return
        }
        var packed = ProtobufWriter()
        for item in items { try write(number(field, item), to: &packed) }
        writer.data(field.number, packed.bytes)
    }

    private func write(_ number: Number, to writer: inout ProtobufWriter) {
        switch number {
        case .varint(let bits): writer.append(bits)
        case .fixed64(let bits): writer.append(fixed64: bits)
        case .fixed32(let bits): writer.append(fixed32: bits)
        }
    }

    func write(one field: ProtobufField, _ json: JSONValue, to writer: inout ProtobufWriter) throws(JSONFailure) {
        switch field.kind {
        case .message(let name), .group(let name):
            guard let message = schema.messages[name] else { return }
            if case .group = field.kind {
                return try writer.group(field.number) { (writer) throws(JSONFailure) in
                    try write(message, json, to: &writer)
                }
            }
            try writer.message(field.number) { (writer) throws(JSONFailure) in try write(message, json, to: &writer) }
        case .string:
            guard let text = json.string else { throw wrong(field, json, "a string") }
            writer.text(field.number, text)
        case .bytes:
            guard let bytes = json.string.flatMap(Base64Decoder.bytes) else {
                throw wrong(field, json, "Base64 in a string")
            }
            writer.data(field.number, bytes)
        default:
            switch try number(field, json) {
            case .varint(let bits): writer.varint(field.number, bits)
            case .fixed64(let bits): writer.fixed64(field.number, bits)
            case .fixed32(let bits): writer.fixed32(field.number, bits)
            }
        }
    }

    private enum Number {
        case varint(UInt64), fixed64(UInt64), fixed32(UInt32)
    }

    private func number(_ field: ProtobufField, _ json: JSONValue) throws(JSONFailure) -> Number {
        switch field.kind {
        case .double: return .fixed64(try real(field, json).bitPattern)
        case .float:
            let number = try real(field, json)
            guard !number.isFinite || abs(number) <= Double(Float.greatestFiniteMagnitude) else {
                throw wrong(field, json, "a number that a float can have")
            }
            return .fixed32(Float(number).bitPattern)
        case .bool:
            // The key of a map is a string.
            let flag = json.bool ?? (json.string == "true" ? true : json.string == "false" ? false : nil)
            guard let flag else { throw wrong(field, json, "true or false") }
            return .varint(flag ? 1 : 0)
        case .enumeration(let name): return .varint(UInt64(bitPattern: Int64(try enumeration(field, name, json))))
        case .uint64: return .varint(try whole(field, json, as: UInt64.self))
        case .fixed64: return .fixed64(try whole(field, json, as: UInt64.self))
        case .uint32: return .varint(UInt64(try whole(field, json, as: UInt32.self)))
        case .fixed32: return .fixed32(try whole(field, json, as: UInt32.self))
        case .sfixed64: return .fixed64(UInt64(bitPattern: try whole(field, json, as: Int64.self)))
        case .sfixed32: return .fixed32(UInt32(bitPattern: try whole(field, json, as: Int32.self)))
        case .sint32: return .varint(Self.folded(Int64(try whole(field, json, as: Int32.self))))
        case .sint64: return .varint(Self.folded(try whole(field, json, as: Int64.self)))
        case .int32: return .varint(UInt64(bitPattern: Int64(try whole(field, json, as: Int32.self))))
        case .int64, .string, .bytes, .message, .group:
            return .varint(UInt64(bitPattern: try whole(field, json, as: Int64.self)))
        }
    }

    private static func folded(_ number: Int64) -> UInt64 { UInt64(bitPattern: (number << 1) ^ (number >> 63)) }

    private func whole<Whole: FixedWidthInteger>(
        _ field: ProtobufField, _ json: JSONValue, as type: Whole.Type
    ) throws(JSONFailure) -> Whole {
        let number: Whole? =
            switch json.kind {
            case .number(let number): Whole(number.json) ?? number.int64.flatMap { Whole(exactly: $0) }
            case .string(let text): Whole(text)
            default: nil
            }
        guard let number else { throw wrong(field, json, "a whole number from \(Whole.min) to \(Whole.max)") }
        return number
    }

    private func real(_ field: ProtobufField, _ json: JSONValue) throws(JSONFailure) -> Double {
        let number: Double? =
            switch json.kind {
            case .number(let number): number.double
            case .string("NaN"): .nan
            case .string("Infinity"): .infinity
            case .string("-Infinity"): -.infinity
            case .string(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
            default: nil
            }
        guard let number else { throw wrong(field, json, "a number, \"NaN\", \"Infinity\" or \"-Infinity\"") }
        return number
    }

    private func enumeration(_ field: ProtobufField, _ name: String, _ json: JSONValue) throws(JSONFailure) -> Int32 {
        if name == "google.protobuf.NullValue", json.isNull { return 0 }
        guard let known = schema.enums[name] else { return 0 }
        if let text = json.string, let number = known.number(of: text) { return number }
        if let number = json.number?.int64, let number = Int32(exactly: number) { return number }
        let names = known.values.map(\.name)
        throw wrong(
            field, json,
            "one of \(names.prefix(20).joined(separator: ", "))" + (names.count > 20 ? " and others" : "")
                + ", or a number")
    }

    func wrong(_ field: ProtobufField, _ json: JSONValue, _ expected: String) -> JSONFailure {
        JSONFailure(
            position: json.position, message: "\(Self.spelling(json)) for the field \"\(field.jsonName)\"",
            expected: expected)
    }

    static func spelling(_ json: JSONValue) -> String {
        switch json.kind {
        case .string(let text) where text.utf8.count <= 40: "\"\(text)\""
        case .number(let number) where number.text.utf8.count <= 40: number.text
        case .bool(let flag): "\(flag)"
        default: json.kindName
        }
    }
}

extension ProtobufField {
    /// Null is a value of it, and does not mean that it is absent.
    fileprivate var takesNull: Bool {
        switch kind {
        case .message("google.protobuf.Value"), .enumeration("google.protobuf.NullValue"): !isRepeated
        default: false
        }
    }
}
