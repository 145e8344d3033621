/// What a server says of itself whose calls have these schemas.
public struct ReflectionCatalog: Sendable {
    private let schemas: [ProtobufSchema]
    private let services: [String]

    /// - Parameter services: the full names of those that it has.
    public init(_ schemas: [ProtobufSchema], services: [String]) {
        (self.schemas, self.services) = (schemas, services)
    }

    /// - Parameter sent: the names of files that an earlier answer on the same stream had, which are not sent again
    ///   unless they are asked for; the names of the files in this answer are added.
    public func answer(to question: ReflectionQuestion, sent: inout Set<String>) -> ReflectionAnswer {
        switch question {
        case .services: return .services(services)
        case .file(let name): return files(&sent, "the file \(name)") { $0.fileNumber(named: name) }
        case .symbol(let name): return files(&sent, "the symbol \(name)") { $0.fileNumber(declaring: name) }
        case .extension(let type, let number):
            return files(&sent, "the extension \(number) of \(type)") { $0.extensions[type]?[number] }
        case .extensionNumbers(let type):
            guard schemas.contains(where: { $0.messages[type] != nil }) else {
                return Self.nothing("the message \(type)")
            }
            return .extensions(of: type, Set(schemas.flatMap { $0.extensions[type, default: [:]].keys }).sorted())
        }
    }

    private func files(
        _ sent: inout Set<String>, _ what: String, _ find: (ProtobufSchema) -> Int?
    ) -> ReflectionAnswer {
        for schema in schemas {
            if let number = find(schema) { return .files(schema.files(from: number, &sent)) }
        }
        return Self.nothing(what)
    }

    /// - Parameter what: is quoted from the client, and may be long.
    private static func nothing(_ what: String) -> ReflectionAnswer {
        .failure(5, "no mock has \(what.prefix(200))")
    }
}

extension ProtobufSchema {
    fileprivate func fileNumber(named name: String) -> Int? { fileNumbers[name] }

    /// The file that declares a message, an enumeration, a service, a field, a method or an extension.
    fileprivate func fileNumber(declaring name: String) -> Int? {
        if let number = messages[name]?.file ?? enums[name]?.file ?? services[name]?.file ?? extensionNames[name] {
            return number
        }
        guard let dot = name.lastIndex(of: ".") else { return nil }
        let (outer, inner) = (String(name[..<dot]), String(name[name.index(after: dot)...]))
        if let message = messages[outer], message.field(named: inner) != nil { return message.file }
        if let service = services[outer], service.method(named: inner) != nil { return service.file }
        return nil
    }

    /// A file, and those that it imports and that were not sent.
    fileprivate func files(from number: Int, _ sent: inout Set<String>) -> [ArraySlice<UInt8>] {
        var (found, open) = ([ArraySlice<UInt8>](), [number])
        sent.remove(fileList[number].name)
        while let next = open.popLast() {
            let file = fileList[next]
            guard sent.insert(file.name).inserted else { continue }
            found.append(file.bytes)
            open += file.imports.compactMap { fileNumbers[$0] }.filter { !sent.contains(fileList[$0].name) }
        }
        return found
    }
}
