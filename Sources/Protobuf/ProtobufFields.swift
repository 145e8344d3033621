/// The fields of one message in bytes, gathered by their numbers.
struct ProtobufFields {
    /// A value as it is written: several may be packed in one.
    enum Value {
        case number(UInt64)
        case fixed64(UInt64)
        case fixed32(UInt32)
        case bytes(ArraySlice<UInt8>)
        case group(ArraySlice<UInt8>)
    }

    private(set) var all: [UInt64: [Value]] = [:]
    /// The places of the last values, which decide on the members of a `oneof`.
    private(set) var last: [UInt64: Int] = [:]

    /// Nil for bytes that are no message.
    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = ProtobufReader(bytes)
        while !reader.isAtEnd {
            guard let (number, value) = reader.next() else { return nil }
            switch value {
            case .varint(let value): add(number, .number(value), reader.at)
            case .fixed64(let value): add(number, .fixed64(value), reader.at)
            case .fixed32(let value): add(number, .fixed32(value), reader.at)
            case .bytes(let value): add(number, .bytes(value), reader.at)
            case .groupStart:
                guard let value = reader.group(number) else { return nil }
                add(number, .group(value), reader.at)
            case .groupEnd: return nil
            }
        }
    }

    private mutating func add(_ number: UInt64, _ value: Value, _ place: Int) {
        all[number, default: []].append(value)
        last[number] = place
    }

    /// The values of a field, unpacked; nil where it is there in another form than the schema's.
    func values(of field: ProtobufField) -> [Value]? {
        guard let found = all[field.number] else { return [] }
        var values: [Value] = []
        for value in found {
            if field.kind.isWritten(as: value) {
                values.append(value)
            } else if field.isRepeated, field.canBePacked, case .bytes(let bytes) = value {
                guard let items = Self.unpacked(bytes, field.kind) else { return nil }
                values += items
            } else {
                return nil
            }
        }
        return values
    }

    private static func unpacked(_ bytes: ArraySlice<UInt8>, _ kind: ProtobufField.Kind) -> [Value]? {
        var reader = ProtobufReader(bytes)
        var values: [Value] = []
        while !reader.isAtEnd {
            let value: Value? =
                switch kind {
                case .double, .fixed64, .sfixed64: reader.fixed(8).map { .fixed64($0) }
                case .float, .fixed32, .sfixed32: reader.fixed(4).map { .fixed32(UInt32(truncatingIfNeeded: $0)) }
                default: reader.varint().map { .number($0) }
                }
            guard let value else { return nil }
            values.append(value)
        }
        return values
    }

    /// The bytes of a message that is there, of its parts where it is there several times: one behind the other they
    /// are one message.
    static func merged(_ values: [Value]) -> ArraySlice<UInt8> {
        let parts = values.map { value -> ArraySlice<UInt8> in
            switch value {
            case .bytes(let bytes), .group(let bytes): bytes
            default: []
            }
        }
        return parts.count == 1 ? parts[0] : Array(parts.joined())[...]
    }

    /// The last number of a field of a message that this code knows, such as Timestamp.
    func number(_ field: UInt64) -> Int64 {
        if case .number(let value)? = all[field]?.last { Int64(bitPattern: value) } else { 0 }
    }

    func texts(_ field: UInt64) -> [String] {
        (all[field] ?? []).compactMap { value in
            if case .bytes(let bytes) = value { String(decoding: bytes, as: UTF8.self) } else { nil }
        }
    }
}

extension ProtobufField.Kind {
    func isWritten(as value: ProtobufFields.Value) -> Bool {
        switch (self, value) {
        case (.double, .fixed64), (.fixed64, .fixed64), (.sfixed64, .fixed64), (.float, .fixed32), (.fixed32, .fixed32),
            (.sfixed32, .fixed32), (.string, .bytes), (.bytes, .bytes), (.message, .bytes), (.message, .group),
            (.group, .bytes), (.group, .group), (.int64, .number), (.uint64, .number), (.int32, .number),
            (.bool, .number), (.uint32, .number), (.sint32, .number), (.sint64, .number), (.enumeration, .number):
            true
        default: false
        }
    }
}
