/// What is asked of a server that describes itself (grpc.reflection.v1, and v1alpha, whose messages are the same).
public enum ReflectionQuestion: Hashable, Sendable {
    case services
    /// The file that declares a service, a message or the like, by its full name.
    case symbol(String)
    case file(String)

    /// The paths of the method, the newest first.
    public static let paths = ["v1", "v1alpha"].map { "/grpc.reflection.\($0).ServerReflection/ServerReflectionInfo" }

    /// As a message.
    public var bytes: [UInt8] {
        var writer = ProtobufWriter()
        switch self {
        case .services: writer.text(7, "*")
        case .symbol(let name): writer.text(4, name)
        case .file(let name): writer.text(3, name)
        }
        return writer.bytes
    }
}

/// What a server says to a ``ReflectionQuestion``.
public enum ReflectionAnswer: Sendable {
    case services([String])
    /// Descriptors of files.
    case files([ArraySlice<UInt8>])
    /// Its status and its words.
    case failure(Int, String)

    /// Nil for bytes that are no answer.
    public init?(_ bytes: ArraySlice<UInt8>) {
        guard let fields = ProtobufFields(bytes) else { return nil }
        if let list = fields.bytes(6).last, let services = ProtobufFields(list) {
            self = .services(services.bytes(1).compactMap { ProtobufFields($0)?.texts(1).last })
        } else if let list = fields.bytes(4).last, let files = ProtobufFields(list) {
            self = .files(files.bytes(1))
        } else if let failure = fields.bytes(7).last.flatMap({ ProtobufFields($0) }) {
            self = .failure(Int(clamping: failure.number(1)), failure.texts(2).last ?? "")
        } else {
            return nil
        }
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
}
