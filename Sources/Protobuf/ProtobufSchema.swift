import Bytes

/// The messages, enumerations and services of a `FileDescriptorSet` (google/protobuf/descriptor.proto).
public struct ProtobufSchema: Sendable {
    /// Why bytes are no such set.
    public struct Failure: Error, Hashable, Sendable {
        public let message: String
        public let expected: String
    }

    /// Bytes of a set: all of Google's public APIs together have some 10 MB.
    public static let maxSize = 16 << 20

    /// By full name, without a dot in front.
    let messages: [String: ProtobufMessage]
    let enums: [String: ProtobufEnum]
    /// The names of its files, as they import each other.
    public var files: [String] { fileList.map(\.name) }
    let fileList: [ProtobufFile]
    let fileNumbers: [String: Int]
    /// By full name.
    public let services: [String: ProtobufService]
    /// The files that declare extensions, by message and number.
    let extensions: [String: [Int64: Int]]
    /// The same by the full names of extensions.
    let extensionNames: [String: Int]

    /// - Parameter bytes: as `protoc --include_imports --descriptor_set_out` writes them.
    public init(descriptors bytes: [UInt8]) throws(Failure) {
        guard bytes.count <= Self.maxSize else {
            throw Failure(
                message: "the descriptor set has \(bytes.count) bytes", expected: "at most \(Self.maxSize)")
        }
        var reader = DescriptorReader()
        try reader.readSet(bytes[...])
        (messages, enums) = (reader.messages, reader.enums)
        (fileList, services) = (reader.files, reader.services)
        (extensions, extensionNames) = (reader.extensions, reader.extensionNames)
        fileNumbers = Dictionary(zip(fileList.map(\.name), fileList.indices)) { first, _ in first }
        for message in messages.values { try check(message) }
        for service in services.values {
            for method in service.methods {
                for name in [method.input, method.output] { try check(name, service.name) }
            }
        }
    }

    /// A schema without any messages.
    public static let none = ProtobufSchema()

    private init() {
        (messages, enums, services, extensions, extensionNames) = ([:], [:], [:], [:], [:])
        (fileList, fileNumbers) = ([], [:])
    }

    private func check(_ message: ProtobufMessage) throws(Failure) {
        for field in message.fields {
            switch field.kind {
            case .message(let name), .group(let name): try check(name, message.name)
            case .enumeration(let name) where enums[name] == nil: throw missing(name, message.name)
            default: break
            }
        }
    }

    private func check(_ name: String, _ user: String) throws(Failure) {
        if messages[name] == nil { throw missing(name, user) }
    }

    private func missing(_ name: String, _ user: String) -> Failure {
        Failure(
            message: "\(user) uses \(name), which is not in the descriptor set",
            expected: "a set that protoc has written with --include_imports")
    }

    /// The message of that full name.
    public func type(named name: String) -> ProtobufType? { messages[name].map { ProtobufType($0, self) } }

    /// The method that a call's path names: `/shop.v1.Cart/Get`.
    public func method(ofPath path: some StringProtocol) -> ProtobufMethod? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].isEmpty else { return nil }
        return services[String(parts[1])]?.method(named: String(parts[2]))
    }

    /// The message that a method's client sends, or its server.
    public func type(of method: ProtobufMethod, isRequest: Bool) -> ProtobufType? {
        type(named: isRequest ? method.input : method.output)
    }
}

/// A message of a schema, to read and write values of.
public struct ProtobufType: Sendable {
    let message: ProtobufMessage
    let schema: ProtobufSchema

    init(_ message: ProtobufMessage, _ schema: ProtobufSchema) { (self.message, self.schema) = (message, schema) }

    public var name: String { message.name }

    /// A message of which nothing is known.
    public static let unknown = ProtobufType(ProtobufMessage("", [], isMapEntry: false, file: 0), .none)
}

public struct ProtobufService: Sendable {
    public let name: String
    public let methods: [ProtobufMethod]
    /// The number of the file that declares it.
    let file: Int
    private let numbers: [String: Int]

    init(name: String, methods: [ProtobufMethod], file: Int) {
        (self.name, self.methods, self.file) = (name, methods, file)
        numbers = Dictionary(zip(methods.map(\.name), methods.indices)) { first, _ in first }
    }

    func method(named name: String) -> ProtobufMethod? { numbers[name].map { methods[$0] } }
}

/// A file of a set.
struct ProtobufFile: Sendable {
    let name: String
    /// Its descriptor.
    let bytes: ArraySlice<UInt8>
    let imports: [String]
}

public struct ProtobufMethod: Hashable, Sendable {
    /// Of its service, in full.
    public let service: String
    public let name: String
    /// Full names of messages.
    public let input: String
    public let output: String
    public let streamsRequests: Bool
    public let streamsResponses: Bool

    /// A method of which nothing is known.
    public static let unknown = ProtobufMethod(
        service: "", name: "", input: "", output: "", streamsRequests: false, streamsResponses: false)

    /// `unary`, or which side sends several messages.
    public var kind: String {
        switch (streamsRequests, streamsResponses) {
        case (false, false): "unary"
        case (true, false): "client streaming"
        case (false, true): "server streaming"
        case (true, true): "bidirectional"
        }
    }
}

final class ProtobufMessage: Sendable {
    let name: String
    /// By number.
    let fields: [ProtobufField]
    /// Fields of a map's entries: 1 is the key, 2 the value.
    let isMapEntry: Bool
    /// The number of the file that declares it.
    let file: Int
    private let byNumber: [UInt64: Int]
    private let byName: [String: Int]

    init(_ name: String, _ fields: [ProtobufField], isMapEntry: Bool, file: Int) {
        (self.name, self.file) = (name, file)
        self.fields = fields.sorted { $0.number < $1.number }
        self.isMapEntry = isMapEntry
        var (numbers, names): ([UInt64: Int], [String: Int]) = ([:], [:])
        for (at, field) in self.fields.enumerated() {
            numbers[field.number] = at
            names[field.name] = at
        }
        for (at, field) in self.fields.enumerated() { names[field.jsonName] = at }
        (byNumber, byName) = (numbers, names)
    }

    func field(_ number: UInt64) -> ProtobufField? { byNumber[number].map { fields[$0] } }
    /// By its name in JSON, or in the file.
    func field(named name: String) -> ProtobufField? { byName[name].map { fields[$0] } }
}

struct ProtobufField: Sendable {
    enum Kind: Sendable {
        case double, float, int64, uint64, int32, fixed64, fixed32, bool, string, bytes, uint32
        case sfixed32, sfixed64, sint32, sint64
        case message(String), group(String), enumeration(String)
    }

    let name: String
    let jsonName: String
    let number: UInt64
    let kind: Kind
    let isRepeated: Bool
    let isPacked: Bool
    /// The index of its `oneof`; nil without one.
    let oneof: UInt64?

    /// Scalars of which a field may have many, one behind the other.
    var canBePacked: Bool {
        switch kind {
        case .string, .bytes, .message, .group: false
        default: true
        }
    }
}

final class ProtobufEnum: Sendable {
    let name: String
    /// In the order of the file; several may have one number.
    let values: [(name: String, number: Int32)]
    /// The number of the file that declares it.
    let file: Int
    private let byNumber: [Int32: String]
    private let byName: [String: Int32]

    init(_ name: String, _ values: [(name: String, number: Int32)], file: Int) {
        (self.name, self.values, self.file) = (name, values, file)
        byNumber = Dictionary(values.map { ($0.number, $0.name) }) { first, _ in first }
        byName = Dictionary(values.map { ($0.name, $0.number) }) { first, _ in first }
    }

    func name(of number: Int32) -> String? { byNumber[number] }
    func number(of name: String) -> Int32? { byName[name] }
}
