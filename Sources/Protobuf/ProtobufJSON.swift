import Bytes
public import JSON

extension ProtobufType {
    /// Bytes of a message that are shown as JSON.
    public static let maxMessage = 4 << 20

    /// A message as JSON (protobuf.dev, "ProtoJSON Format"); fields that the schema lacks stand by their numbers.
    ///
    /// - Returns: nil for bytes that are no such message.
    public func json(of bytes: ArraySlice<UInt8>, style: JSONWriter.Style = .compact) -> [UInt8]? {
        guard bytes.count <= Self.maxMessage else { return nil }
        var json = ProtobufJSON(schema: schema, writer: JSONWriter(style: style))
        guard json.write(message, bytes, depth: 0) else { return nil }
        return json.writer.bytes
    }
}

/// Writes messages as JSON.
///
/// Each method is false where bytes are no message; what was written then is of no use.
struct ProtobufJSON {
    let schema: ProtobufSchema
    var writer: JSONWriter

    /// The value that stands for a message: an object, or what the well-known types have.
    mutating func write(_ message: ProtobufMessage, _ bytes: ArraySlice<UInt8>, depth: Int) -> Bool {
        guard depth < NestingLimit.values, let fields = ProtobufFields(bytes) else { return false }
        if let isWritten = writeKnown(message, fields, depth) { return isWritten }
        writer.beginObject()
        guard writeMembers(message, fields, depth) else { return false }
        writer.endObject()
        return true
    }

    mutating func writeMembers(_ message: ProtobufMessage, _ fields: ProtobufFields, _ depth: Int) -> Bool {
        var shown: Set<UInt64> = []
        let chosen = message.chosen(of: fields)
        for field in message.fields where fields.all[field.number] != nil {
            guard let values = fields.values(of: field) else { continue }
            shown.insert(field.number)
            if let oneof = field.oneof, chosen[oneof] != field.number { continue }
            // Of packed lists without items.
            guard !values.isEmpty else { continue }
            writer.key(field.jsonName)
            guard write(field, values, depth) else { return false }
        }
        for number in fields.all.keys.sorted() where !shown.contains(number) {
            let values = fields.all[number] ?? []
            writer.key(String(number))
            if values.count > 1 { writer.beginArray() }
            for value in values { write(unknown: value) }
            if values.count > 1 { writer.endArray() }
        }
        return true
    }

    mutating func write(_ field: ProtobufField, _ values: [ProtobufFields.Value], _ depth: Int) -> Bool {
        guard field.isRepeated else {
            switch field.kind {
            case .message, .group: return write(field.kind, .bytes(ProtobufFields.merged(values)), depth)
            default: return values.last.map { write(field.kind, $0, depth) } ?? false
            }
        }
        if case .message(let name) = field.kind, let entry = schema.messages[name], entry.isMapEntry {
            return writeMap(entry, values, depth)
        }
        writer.beginArray()
        for value in values { guard write(field.kind, value, depth) else { return false } }
        writer.endArray()
        return true
    }

    /// Of entries with one key the last one counts.
    private mutating func writeMap(_ entry: ProtobufMessage, _ values: [ProtobufFields.Value], _ depth: Int) -> Bool {
        guard let (key, value) = entry.keyAndValue, depth + 1 < NestingLimit.values else { return false }
        var (keys, entries): ([String], [String: [ProtobufFields.Value]]) = ([], [:])
        for item in values {
            guard let fields = ProtobufFields(ProtobufFields.merged([item])), let names = fields.values(of: key),
                let found = fields.values(of: value)
            else { return false }
            let name = keyText(key.kind, names.last)
            if entries.updateValue(found, forKey: name) == nil { keys.append(name) }
        }
        writer.beginObject()
        for name in keys {
            writer.key(name)
            let found = entries[name] ?? []
            guard found.isEmpty ? writeDefault(value.kind, depth) : write(value, found, depth + 1) else { return false }
        }
        writer.endObject()
        return true
    }

    private func keyText(_ kind: ProtobufField.Kind, _ value: ProtobufFields.Value?) -> String {
        switch (kind, value) {
        case (.string, .bytes(let bytes)): String(decoding: bytes, as: UTF8.self)
        case (.string, _): ""
        case (.bool, .number(let number)): number != 0 ? "true" : "false"
        case (.bool, _): "false"
        default: value.flatMap { Self.digits(kind, $0) } ?? "0"
        }
    }

    /// A whole number in its own type.
    private static func digits(_ kind: ProtobufField.Kind, _ value: ProtobufFields.Value) -> String? {
        switch (kind, value) {
        case (.int64, .number(let bits)): String(Int64(bitPattern: bits))
        case (.uint64, .number(let bits)): String(bits)
        case (.int32, .number(let bits)), (.enumeration, .number(let bits)): String(Int32(truncatingIfNeeded: bits))
        case (.uint32, .number(let bits)): String(UInt32(truncatingIfNeeded: bits))
        case (.sint32, .number(let bits)): String(Int32(truncatingIfNeeded: Self.unfolded(bits)))
        case (.sint64, .number(let bits)): String(Self.unfolded(bits))
        case (.fixed64, .fixed64(let bits)): String(bits)
        case (.sfixed64, .fixed64(let bits)): String(Int64(bitPattern: bits))
        case (.fixed32, .fixed32(let bits)): String(bits)
        case (.sfixed32, .fixed32(let bits)): String(Int32(bitPattern: bits))
        default: nil
        }
    }

    /// Of the coding by which small negative numbers are short.
    private static func unfolded(_ bits: UInt64) -> Int64 {
        Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
    }

    mutating func write(_ kind: ProtobufField.Kind, _ value: ProtobufFields.Value, _ depth: Int) -> Bool {
        switch (kind, value) {
        case (.double, .fixed64(let bits)): write(Double(bitPattern: bits))
        case (.float, .fixed32(let bits)):
            let number = Float(bitPattern: bits)
            if number.isFinite { writer.raw(number.description.utf8) } else { write(Double(number)) }
        case (.bool, .number(let number)): writer.value(number != 0)
        case (.string, .bytes(let bytes)): writer.value(String(decoding: bytes, as: UTF8.self))
        case (.bytes, .bytes(let bytes)): writer.value(Base64Encoder.text(Array(bytes)))
        case (.enumeration(let name), .number(let bits)):
            let number = Int32(truncatingIfNeeded: bits)
            if name == "google.protobuf.NullValue" {
                writer.null()
            } else if let text = schema.enums[name]?.name(of: number) {
                writer.value(text)
            } else {
                writer.value(number)
            }
        case (.message(let name), .bytes(let bytes)), (.message(let name), .group(let bytes)),
            (.group(let name), .bytes(let bytes)), (.group(let name), .group(let bytes)):
            return schema.messages[name].map { write($0, bytes, depth: depth + 1) } ?? false
        default:
            guard let digits = Self.digits(kind, value) else { return false }
            // JavaScript's numbers are exact up to 2^53 alone.
            if kind.isLong { writer.value(digits) } else { writer.raw(digits.utf8) }
        }
        return true
    }

    private mutating func write(_ number: Double) {
        if number.isFinite {
            writer.value(number)
        } else {
            writer.value(number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity")
        }
    }

    /// The value of a field that is not there.
    mutating func writeDefault(_ kind: ProtobufField.Kind, _ depth: Int) -> Bool {
        let value: ProtobufFields.Value =
            switch kind {
            case .double, .fixed64, .sfixed64: .fixed64(0)
            case .float, .fixed32, .sfixed32: .fixed32(0)
            case .string, .bytes, .message, .group: .bytes([])
            default: .number(0)
            }
        return write(kind, value, depth)
    }

    private mutating func write(unknown value: ProtobufFields.Value) {
        switch value {
        case .number(let number), .fixed64(let number): writer.value(number)
        case .fixed32(let number): writer.value(number)
        case .bytes(let bytes) where PlainText.isPlain(bytes): writer.value(String(decoding: bytes, as: UTF8.self))
        case .bytes(let bytes), .group(let bytes): writer.value(Base64Encoder.text(Array(bytes)))
        }
    }
}

extension ProtobufField.Kind {
    /// Numbers of 64 bits, which are strings in JSON.
    var isLong: Bool {
        switch self {
        case .int64, .uint64, .fixed64, .sfixed64, .sint64: true
        default: false
        }
    }
}

extension ProtobufMessage {
    /// The fields of an entry of a map.
    var keyAndValue: (ProtobufField, ProtobufField)? {
        guard let key = field(1), let value = field(2) else { return nil }
        return (key, value)
    }

    /// Of each `oneof` the member that came last.
    fileprivate func chosen(of fields: ProtobufFields) -> [UInt64: UInt64] {
        var chosen: [UInt64: UInt64] = [:]
        for field in self.fields {
            guard let oneof = field.oneof, let place = fields.last[field.number] else { continue }
            let other = chosen[oneof].flatMap { fields.last[$0] } ?? -1
            if place > other { chosen[oneof] = field.number }
        }
        return chosen
    }
}
