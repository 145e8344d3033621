public import JSON
public import Platform

/// The documents of a contract, each read once.
///
/// References lead to files beside the first one; nothing is fetched from the network.
public final class ContractSources {
    struct Document {
        let uri: URIReference
        /// The file as messages name it.
        let name: String
        let root: JSONValue
    }

    /// The start of a value, which several references may name.
    struct Key: Hashable {
        let document: Int
        let offset: Int
    }

    /// A value in a document.
    struct Located {
        let document: Int
        let value: JSONValue
        let pointer: String

        var key: Key { Key(document: document, offset: value.position.offset) }

        func member(_ key: String) -> Located? {
            value[key].map { Located(document: document, value: $0, pointer: pointer + ContractPlace.step(key)) }
        }

        func item(_ index: Int) -> Located? {
            guard let items = value.array, items.indices.contains(index) else { return nil }
            return Located(document: document, value: items[index], pointer: "\(pointer)/\(index)")
        }

        /// Each member with its name.
        var members: [(key: String, position: JSONPosition, located: Located)] {
            (value.object ?? []).map {
                (
                    $0.key, $0.keyPosition,
                    Located(document: document, value: $0.value, pointer: pointer + ContractPlace.step($0.key))
                )
            }
        }

        var items: [Located] { (value.array ?? []).indices.compactMap { item($0) } }
    }

    private static let maxDocuments = 1000
    /// Up to here members are compared one by one; a document whose references all lead into a larger object is read in
    /// linear time with an index of it.
    private static let few = 64
    /// A file of one contract may have more than a profile.
    public static let sizeLimit = 64 << 20

    private(set) var documents: [Document] = []
    private var numbers: [String: Int] = [:]
    private var unreadable: [String: ContractProblem] = [:]
    /// Of each large object that references led into, the numbers of members by the bytes of their names.
    private var indexes: [Key: [[UInt8]: Int]] = [:]
    private let read: (String) throws(FileFailure) -> [UInt8]

    /// - Parameter read: reads the file of an absolute path.
    public init(
        _ read: @escaping (String) throws(FileFailure) -> [UInt8] = { path throws(FileFailure) in
            try Files.read(path, limit: ContractSources.sizeLimit)
        }
    ) {
        self.read = read
    }

    /// Adds a document that was read elsewhere.
    @discardableResult
    public func add(_ root: JSONValue, uri: String, name: String) -> Int {
        let uri = URIReference(uri)
        numbers[uri.withoutFragment] = documents.count
        documents.append(Document(uri: uri, name: name, root: root))
        return documents.count - 1
    }

    /// Reads a file, as YAML or JSON.
    ///
    /// - Parameter name: how messages name it.
    public func open(_ path: String, name: String) throws(ContractProblem) -> Int {
        let uri = URIReference(file: Path.absolute(path))
        if let known = numbers[uri.withoutFragment] { return known }
        let bytes: [UInt8]
        do throws(FileFailure) { bytes = try read(Path.absolute(path)) } catch {
            throw ContractProblem(name, nil, "cannot be read: \(error.reason)", expected: "a file of YAML or JSON")
        }
        do throws(JSONFailure) {
            return add(try Self.parse(bytes, path: path), uri: uri.text, name: name)
        } catch {
            throw ContractProblem(name, error)
        }
    }

    /// By the name of the file, else by its first character.
    static func parse(_ bytes: [UInt8], path: String) throws(JSONFailure) -> JSONValue {
        let name = path.lowercased()
        let first = bytes.first { $0 > 0x20 && $0 < 0x80 }
        let isJSON = name.hasSuffix(".json") || name.hasSuffix(".json5") || first == UInt8(ascii: "{")
        return isJSON && !name.hasSuffix(".yaml") && !name.hasSuffix(".yml")
            ? try JSONReader.read(bytes, sizeLimit: sizeLimit) : try YAMLReader.read(bytes, sizeLimit: sizeLimit)
    }

    /// The document at a URI without fragment, read where it is a file that is not there yet.
    func document(_ uri: URIReference) throws(ContractProblem) -> Int? {
        let key = uri.withoutFragment
        if let known = numbers[key] { return known }
        if let problem = unreadable[key] { throw problem }
        if let meta = MetaSchemas.schema(key) { return add(meta, uri: key, name: key) }
        guard let path = uri.file, documents.count < Self.maxDocuments else { return nil }
        let first = documents.first?.uri.file.map { Path.directory(of: $0) + "/" } ?? "/"
        do throws(ContractProblem) {
            return try open(path, name: path.hasPrefix(first) ? shownFolder + path.dropFirst(first.count) : path)
        } catch {
            unreadable[key] = error
            throw error
        }
    }

    /// The folder of the first document, as messages name it.
    private var shownFolder: String {
        guard let name = documents.first?.name, let slash = name.lastIndex(of: "/") else { return "" }
        return String(name[...slash])
    }

    func root(_ document: Int) -> Located {
        Located(document: document, value: documents[document].root, pointer: "")
    }

    func place(_ located: Located, _ position: JSONPosition? = nil) -> ContractPlace {
        let position = position ?? located.value.position
        return ContractPlace(
            file: documents[located.document].name, line: position.line, column: position.column,
            pointer: located.pointer)
    }

    func problem(
        _ located: Located, _ position: JSONPosition? = nil, _ message: String, expected: String? = nil
    ) -> ContractProblem {
        ContractProblem(
            documents[located.document].name, position ?? located.value.position, message, expected: expected)
    }

    /// The value that a JSON Pointer leads to, from a value on; nil where there is none.
    func follow(_ pointer: String, from start: Located, _ visit: (Located) -> Void = { _ in }) -> Located? {
        guard pointer.isEmpty || pointer.hasPrefix("/") else { return nil }
        var at = start
        for part in pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let name = JSONPointer.unescaped(part),
                let next = member(name, of: at) ?? JSONPointer.index(name).flatMap({ at.item($0) })
            else { return nil }
            at = next
            visit(at)
        }
        return at
    }

    private func member(_ name: String, of located: Located) -> Located? {
        guard let members = located.value.object, members.count > Self.few else { return located.member(name) }
        let index =
            indexes[located.key]
            ?? Dictionary(members.indices.map { (Array(members[$0].key.utf8), $0) }) { first, _ in first }
        indexes[located.key] = index
        guard let number = index[Array(name.utf8)] else { return nil }
        return Located(
            document: located.document, value: members[number].value,
            pointer: located.pointer + ContractPlace.step(name))
    }

    /// Follows reference objects of OpenAPI (`{"$ref": …}`) to what they stand for.
    func resolved(_ located: Located, _ report: (ContractProblem) -> Void) -> Located? {
        var at = located
        for _ in 0..<100 {
            guard let text = at.value["$ref"]?.string else { return at }
            guard let next = target(text, from: at, report) else { return nil }
            at = next
        }
        report(problem(located, nil, "\"$ref\" leads in circles", expected: "a reference that ends"))
        return nil
    }

    private func target(_ text: String, from at: Located, _ report: (ContractProblem) -> Void) -> Located? {
        let position = at.value["$ref"]?.position
        let uri = URIReference(text).resolved(against: documents[at.document].uri)
        do throws(ContractProblem) {
            if let document = try document(uri),
                let found = follow(URIReference.decoded(uri.fragment ?? ""), from: root(document))
            {
                return found
            }
        } catch {
            report(error)
        }
        report(
            problem(
                at, position, "\"$ref\" leads nowhere: \(text)",
                expected: "a place in this document, such as \"#/components/schemas/item\", or in a file beside it"))
        return nil
    }
}
