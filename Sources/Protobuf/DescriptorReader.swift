import JSON

/// Reads the descriptors of google/protobuf/descriptor.proto, which are messages of Protocol Buffers themselves.
struct DescriptorReader {
    typealias Failure = ProtobufSchema.Failure

    private(set) var messages: [String: ProtobufMessage] = [:]
    private(set) var enums: [String: ProtobufEnum] = [:]
    private(set) var files: [ProtobufFile] = []
    private(set) var services: [String: ProtobufService] = [:]
    /// By message and number.
    private(set) var extensions: [String: [Int64: Int]] = [:]
    private(set) var extensionNames: [String: Int] = [:]
    /// Bytes of all full names together: that of a package is part of each, so that a short set could have long ones.
    private var nameSize = 0
    private static let maxNameSize = 4 * ProtobufSchema.maxSize
    /// The number of the file that is read.
    private var file: Int { files.count - 1 }

    /// Calls `body` with each field that has a length or a number.
    private func fields(
        _ bytes: ArraySlice<UInt8>, _ body: (UInt64, Part) throws(Failure) -> Void
    ) throws(Failure) {
        var reader = ProtobufReader(bytes)
        while !reader.isAtEnd {
            guard let (number, value) = reader.next() else {
                throw Failure(
                    message: "it is no descriptor set",
                    expected: "a file that `protoc --include_imports --descriptor_set_out` has written")
            }
            switch value {
            case .varint(let value): try body(number, Part(bytes: [], number: value))
            case .bytes(let value): try body(number, Part(bytes: value, number: 0))
            default: break
            }
        }
    }

    private struct Part {
        let bytes: ArraySlice<UInt8>
        let number: UInt64
        var text: String { String(decoding: bytes, as: UTF8.self) }
        /// A full name, which descriptors write with a dot in front.
        var typeName: String {
            bytes.first == UInt8(ascii: ".") ? String(decoding: bytes.dropFirst(), as: UTF8.self) : text
        }
    }

    mutating func readSet(_ bytes: ArraySlice<UInt8>) throws(Failure) {
        var parts: [ArraySlice<UInt8>] = []
        try fields(bytes) { (number, part) in if number == 1 { parts.append(part.bytes) } }
        if parts.isEmpty {
            throw Failure(
                message: "it has no files",
                expected: "a file that `protoc --include_imports --descriptor_set_out` has written")
        }
        for file in parts { try readFile(file) }
    }

    private mutating func readFile(_ bytes: ArraySlice<UInt8>) throws(Failure) {
        var (name, package, syntax) = ("", "", "proto2")
        var (types, lists, offers): ([ArraySlice<UInt8>], [ArraySlice<UInt8>], [ArraySlice<UInt8>]) = ([], [], [])
        var (added, imports): ([ArraySlice<UInt8>], [String]) = ([], [])
        try fields(bytes) { (number, part) in
            switch number {
            case 1: name = part.text
            case 2: package = part.text
            case 4: types.append(part.bytes)
            case 5: lists.append(part.bytes)
            case 6: offers.append(part.bytes)
            case 3: imports.append(part.text)
            case 7: added.append(part.bytes)
            case 12: syntax = part.text
            default: break
            }
        }
        files.append(ProtobufFile(name: name, bytes: bytes, imports: imports))
        let scope = package.isEmpty ? "" : package + "."
        for type in types { try readMessage(type, scope, isPacked: syntax != "proto2", depth: 0) }
        for list in lists { try readEnum(list, scope) }
        for offer in offers { try readService(offer, scope) }
        for field in added { try readExtension(field, scope) }
    }

    /// Notes a full name.
    private mutating func note(_ name: String) throws(Failure) {
        nameSize += name.utf8.count
        guard nameSize <= Self.maxNameSize else {
            throw Failure(
                message: "its full names have more than \(Self.maxNameSize >> 20) MiB together",
                expected: "packages and messages with shorter names")
        }
    }

    private mutating func readExtension(_ bytes: ArraySlice<UInt8>, _ scope: String) throws(Failure) {
        var (name, type, number) = (scope, "", Int64(0))
        try fields(bytes) { (field, part) in
            switch field {
            case 1: name = scope + part.text
            case 2: type = part.typeName
            case 3: number = Int64(bitPattern: part.number)
            default: break
            }
        }
        try note(name)
        extensionNames[name] = file
        extensions[type, default: [:]][number] = file
    }

    private mutating func readMessage(
        _ bytes: ArraySlice<UInt8>, _ scope: String, isPacked: Bool, depth: Int
    ) throws(Failure) {
        guard depth < NestingLimit.values else {
            throw Failure(
                message: "messages are declared within messages too deeply",
                expected: "at most \(NestingLimit.values) levels")
        }
        var (name, isMapEntry) = ("", false)
        var (own, types, lists): ([ArraySlice<UInt8>], [ArraySlice<UInt8>], [ArraySlice<UInt8>]) = ([], [], [])
        var (options, added): ([ArraySlice<UInt8>], [ArraySlice<UInt8>]) = ([], [])
        try fields(bytes) { (number, part) in
            switch number {
            case 1: name = scope + part.text
            case 2: own.append(part.bytes)
            case 3: types.append(part.bytes)
            case 4: lists.append(part.bytes)
            case 6: added.append(part.bytes)
            case 7: options.append(part.bytes)
            default: break
            }
        }
        try note(name)
        for option in options {
            try fields(option) { (number, part) in if number == 7 { isMapEntry = part.number != 0 } }
        }
        var list: [ProtobufField] = []
        for field in own { list.append(try readField(field, name, isPacked: isPacked)) }
        messages[name] = ProtobufMessage(name, list, isMapEntry: isMapEntry, file: file)
        for type in types { try readMessage(type, name + ".", isPacked: isPacked, depth: depth + 1) }
        for list in lists { try readEnum(list, name + ".") }
        for field in added { try readExtension(field, name + ".") }
    }

    private func readField(
        _ bytes: ArraySlice<UInt8>, _ message: String, isPacked usually: Bool
    ) throws(Failure) -> ProtobufField {
        var (name, jsonName, typeName) = ("", "", "")
        var (number, label, type): (UInt64, UInt64, UInt64) = (0, 1, 0)
        var oneof: UInt64?
        var packed: Bool?
        var options: [ArraySlice<UInt8>] = []
        try fields(bytes) { (field, part) in
            switch field {
            case 1: name = part.text
            case 3: number = part.number
            case 4: label = part.number
            case 5: type = part.number
            case 6: typeName = part.typeName
            case 8: options.append(part.bytes)
            case 9: oneof = part.number
            case 10: jsonName = part.text
            default: break
            }
        }
        for option in options {
            try fields(option) { (field, part) in if field == 2 { packed = part.number != 0 } }
        }
        guard let kind = Self.kind(type, typeName), !name.isEmpty, (1..<1 << 29).contains(number) else {
            throw Failure(
                message: "the field \(message).\(name.isEmpty ? "?" : name) has no number or no known type",
                expected: "descriptors that protoc has written")
        }
        return ProtobufField(
            name: name, jsonName: jsonName.isEmpty ? Self.jsonName(name) : jsonName, number: number, kind: kind,
            isRepeated: label == 3, isPacked: packed ?? usually, oneof: oneof)
    }

    /// As protoc makes it where the descriptor names none.
    static func jsonName(_ name: String) -> String {
        var text = ""
        var isUpper = false
        for character in name {
            if character == "_" {
                isUpper = true
            } else {
                text += isUpper ? character.uppercased() : String(character)
                isUpper = false
            }
        }
        return text
    }

    private static func kind(_ type: UInt64, _ name: String) -> ProtobufField.Kind? {
        switch type {
        case 1: .double
        case 2: .float
        case 3: .int64
        case 4: .uint64
        case 5: .int32
        case 6: .fixed64
        case 7: .fixed32
        case 8: .bool
        case 9: .string
        case 10: .group(name)
        case 11: .message(name)
        case 12: .bytes
        case 13: .uint32
        case 14: .enumeration(name)
        case 15: .sfixed32
        case 16: .sfixed64
        case 17: .sint32
        case 18: .sint64
        default: nil
        }
    }

    private mutating func readEnum(_ bytes: ArraySlice<UInt8>, _ scope: String) throws(Failure) {
        var name = ""
        var items: [ArraySlice<UInt8>] = []
        try fields(bytes) { (number, part) in
            if number == 1 { name = scope + part.text } else if number == 2 { items.append(part.bytes) }
        }
        var values: [(name: String, number: Int32)] = []
        for item in items {
            var value = (name: "", number: Int32(0))
            try fields(item) { (number, part) in
                if number == 1 {
                    value.name = part.text
                } else if number == 2 {
                    value.number = Int32(truncatingIfNeeded: part.number)
                }
            }
            values.append(value)
        }
        try note(name)
        enums[name] = ProtobufEnum(name, values, file: file)
    }

    private mutating func readService(_ bytes: ArraySlice<UInt8>, _ scope: String) throws(Failure) {
        var name = ""
        var items: [ArraySlice<UInt8>] = []
        try fields(bytes) { (number, part) in
            if number == 1 { name = scope + part.text } else if number == 2 { items.append(part.bytes) }
        }
        var methods: [ProtobufMethod] = []
        for item in items {
            var (method, input, output) = ("", "", "")
            var (ups, downs) = (false, false)
            try fields(item) { (number, part) in
                switch number {
                case 1: method = part.text
                case 2: input = part.typeName
                case 3: output = part.typeName
                case 5: ups = part.number != 0
                case 6: downs = part.number != 0
                default: break
                }
            }
            methods.append(
                ProtobufMethod(
                    service: name, name: method, input: input, output: output, streamsRequests: ups,
                    streamsResponses: downs))
        }
        try note(name)
        services[name] = ProtobufService(name: name, methods: methods, file: file)
    }
}
