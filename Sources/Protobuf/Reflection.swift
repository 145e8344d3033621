/// What is asked of a server that describes itself (grpc.reflection.v1, and v1alpha, whose messages are the same).
public enum ReflectionQuestion: Hashable, Sendable {
    case services
    /// The file that declares a service, a message or the like, by its full name.
    case symbol(String)
    case file(String)
    /// The file that declares an extension of a message, by its number.
    case `extension`(of: String, number: Int64)
    /// The numbers of all extensions of a message.
    case extensionNumbers(String)

    /// The paths of the method, the newest first.
    public static let paths = ["v1", "v1alpha"].map { "/grpc.reflection.\($0).ServerReflection/ServerReflectionInfo" }
    /// What the names of the services begin with that are no servers' own.
    public static let package = "grpc.reflection."

    /// As a message.
    public var bytes: [UInt8] {
        var writer = ProtobufWriter()
        switch self {
        case .file(let name): writer.text(3, name)
        case .symbol(let name): writer.text(4, name)
        case .extension(let type, let number):
            writer.message(5) {
                $0.text(1, type)
                $0.varint(2, UInt64(bitPattern: number))
            }
        case .extensionNumbers(let type): writer.text(6, type)
        case .services: writer.text(7, "*")
        }
        return writer.bytes
    }

    /// Nil for bytes that ask for nothing.
    public init?(_ bytes: ArraySlice<UInt8>) {
        guard let fields = ProtobufFields(bytes),
            // Of the members of a `oneof` the last one counts.
            let field = (UInt64(3)...7).filter({ fields.last[$0] != nil }).max(by: {
                fields.last[$0, default: 0] < fields.last[$1, default: 0]
            }), let value = fields.bytes(field).last
        else { return nil }
        let text = String(decoding: value, as: UTF8.self)
        switch field {
        case 3: self = .file(text)
        case 4: self = .symbol(text)
        case 5:
            guard let inner = ProtobufFields(value) else { return nil }
            self = .extension(of: inner.texts(1).last ?? "", number: inner.number(2))
        case 6: self = .extensionNumbers(text)
        default: self = .services
        }
    }
}

/// What a server says to a ``ReflectionQuestion``.
public enum ReflectionAnswer: Sendable {
    case services([String])
    /// Descriptors of files.
    case files([ArraySlice<UInt8>])
    /// The numbers of the extensions of a message.
    case extensions(of: String, [Int64])
    /// Its status and its words.
    case failure(Int, String)

    /// Nil for bytes that are no answer.
    public init?(_ bytes: ArraySlice<UInt8>) {
        guard let fields = ProtobufFields(bytes) else { return nil }
        if let list = fields.bytes(6).last, let services = ProtobufFields(list) {
            self = .services(services.bytes(1).compactMap { ProtobufFields($0)?.texts(1).last })
        } else if let list = fields.bytes(4).last, let files = ProtobufFields(list) {
            self = .files(files.bytes(1))
        } else if let list = fields.bytes(5).last, let extensions = ProtobufFields(list) {
            self = .extensions(of: extensions.texts(1).last ?? "", extensions.numbers(2))
        } else if let failure = fields.bytes(7).last.flatMap({ ProtobufFields($0) }) {
            self = .failure(Int(clamping: failure.number(1)), failure.texts(2).last ?? "")
        } else {
            return nil
        }
    }

    /// The message to a question, in pieces that follow each other: descriptors are not copied.
    public func pieces(to question: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var writer = ProtobufWriter()
        if let host = ProtobufFields(question)?.bytes(1).last { writer.data(1, host) }
        writer.data(2, question)
        switch self {
        case .files(let files):
            var (pieces, size): ([ArraySlice<UInt8>], Int) = ([], 0)
            for file in files {
                var head = ProtobufWriter()
                head.length(1, file.count)
                pieces += [head.bytes[...], file]
                size += head.bytes.count + file.count
            }
            writer.length(4, size)
            return [writer.bytes[...]] + pieces
        case .extensions(let type, let numbers):
            writer.message(5) { inner in
                inner.text(1, type)
                inner.packed(2, numbers)
            }
        case .services(let names):
            writer.message(6) { list in for name in names { list.message(1) { $0.text(1, name) } } }
        case .failure(let status, let text):
            writer.message(7) {
                $0.varint(1, UInt64(clamping: status))
                $0.text(2, text)
            }
        }
        return [writer.bytes[...]]
    }
}

/// The files of a server as they come, until those that they import are all there.
public struct ReflectionFiles: Sendable {
    /// As all of Google's public APIs together have some 8,000.
    public static let maxCount = 10_000

    private var files: [String: ArraySlice<UInt8>] = [:]
    private var wanted: Set<String> = []
    private var size = 0

    public init() {}

    public var count: Int { files.count }

    /// The names of files that others import, and that have not come.
    public var missing: [String] { wanted.filter { files[$0] == nil }.sorted() }

    /// Takes the descriptor of a file; false for bytes that are none, and where there are too many.
    public mutating func add(_ descriptor: ArraySlice<UInt8>) -> Bool {
        guard let fields = ProtobufFields(descriptor), let name = fields.texts(1).last else { return false }
        if files[name] != nil { return true }
        guard files.count < Self.maxCount, descriptor.count <= ProtobufSchema.maxSize - size else { return false }
        files[name] = descriptor
        size += descriptor.count
        wanted.formUnion(fields.texts(3))
        return true
    }

    /// All of them as a set of descriptors, in the order of their names.
    public var set: [UInt8] {
        var writer = ProtobufWriter()
        for (_, descriptor) in files.sorted(by: { $0.key < $1.key }) { writer.data(1, descriptor) }
        return writer.bytes
    }
}

extension ProtobufFields {
    fileprivate func bytes(_ field: UInt64) -> [ArraySlice<UInt8>] {
        (all[field] ?? []).compactMap { if case .bytes(let bytes) = $0 { bytes } else { nil } }
    }

    /// The numbers of a repeated field, packed or not.
    fileprivate func numbers(_ field: UInt64) -> [Int64] {
        (all[field] ?? []).flatMap { value -> [Int64] in
            switch value {
            case .number(let number): return [Int64(bitPattern: number)]
            case .bytes(let bytes):
                var (reader, numbers) = (ProtobufReader(bytes), [Int64]())
                while let number = reader.varint() { numbers.append(Int64(bitPattern: number)) }
                return numbers
            default: return []
            }
        }
    }
}
