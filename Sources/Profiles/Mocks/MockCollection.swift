package import JSON

/// Items that a mock lists, creates, changes and deletes; their beginning is that of a file or of the profile.
public struct MockCollection: Sendable {
    package enum Source: Sendable {
        case file(MockFile)
        case items(CollectionItems)
    }

    package let source: Source
    /// The segments of the route's path, behind which identifiers stand.
    package let depth: Int

    /// Tells collections with different beginnings apart.
    package var fingerprint: String {
        switch source {
        case .file(let file): file.path
        case .items(let items): String(decoding: items.text, as: UTF8.self)
        }
    }

    /// In a word, for explanations.
    var name: String {
        switch source {
        case .file(let file): file.name
        case .items(let items): "\(items.all.count) items"
        }
    }
}

/// The items of a collection in their order, each a JSON object with an identifier of its own.
package struct CollectionItems: Sendable {
    package struct Item: Sendable {
        /// The member `id` as paths have it.
        package let id: String
        /// Strict JSON in one line.
        package let text: [UInt8]

        package init(id: String, text: [UInt8]) { (self.id, self.text) = (id, text) }
    }

    /// The most that one has: what it takes is held in memory, and looked through by requests.
    package static let (maxItems, maxBytes) = (10_000, 4 << 20)

    package var all: [Item] = [] { didSet { size = all.reduce(0) { $0 + $1.text.count + 1 } } }
    /// Bytes of all texts.
    package private(set) var size = 0
    /// The largest number that was an identifier.
    package var lastNumber: Int64 = 0
    /// Identifiers that are made are texts, as those of the file are.
    package let hasTexts: Bool

    /// Reads an array of objects; throws what is wrong with it, and where.
    package init(_ value: JSONValue) throws(JSONFailure) {
        guard let values = value.array else {
            throw JSONFailure(
                position: value.position, message: "\(value.kindName) where a collection should be",
                expected: "an array of objects")
        }
        guard values.count <= Self.maxItems else {
            throw JSONFailure(
                position: value.position, message: "the collection has \(values.count) items",
                expected: "at most \(Self.maxItems)")
        }
        hasTexts = values.first?["id"]?.string != nil
        var (items, ids): ([Item], Set<String>) = ([], [])
        for value in values {
            let id = try Self.id(of: value)
            guard ids.insert(id).inserted else {
                throw JSONFailure(
                    position: value["id"]?.position ?? value.position, message: "the id \(id) is already there",
                    expected: "each id once")
            }
            note(value["id"])
            items.append(Item(id: id, text: JSONLiteral(value).text))
        }
        all = items
        // Observers are not called in an initializer.
        size = items.reduce(0) { $0 + $1.text.count + 1 }
        guard size <= Self.maxBytes else {
            throw JSONFailure(
                position: value.position, message: "the collection has \(size) bytes",
                expected: "at most \(Self.maxBytes)")
        }
    }

    /// Reads a file in JSON or JSON5.
    package init(reading bytes: [UInt8]) throws(JSONFailure) { try self.init(try JSONReader.read(bytes)) }

    /// The identifier of an item; throws what is wrong with it.
    package static func id(of item: JSONValue) throws(JSONFailure) -> String {
        guard item.object != nil else {
            throw JSONFailure(
                position: item.position, message: "\(item.kindName) where an item should be",
                expected: "an object like { \"id\": 1 }")
        }
        guard let id = item["id"] else {
            throw JSONFailure(
                position: item.position, message: "an item without \"id\"", expected: "a number or a text as its id")
        }
        if let number = id.number { return number.int64.map { "\($0)" } ?? number.json }
        guard let text = id.string, !text.isEmpty, text.utf8.count <= 256 else {
            throw JSONFailure(
                position: id.position, message: "the id is \(id.string == nil ? id.kindName : "empty or too long")",
                expected: "a number, or a text of 1 to 256 bytes")
        }
        return text
    }

    /// An identifier was given: those that are made are larger.
    package mutating func note(_ id: JSONValue?) {
        // Neighbouring numbers are told apart up to this one, by all who read JSON.
        guard let number = id?.number?.int64 ?? id?.string.flatMap({ Int64($0) }), number < 1 << 53 else { return }
        lastNumber = max(lastNumber, number)
    }

    /// All of them as a JSON array.
    package var text: [UInt8] { Self.text(all) }

    package static func text(_ items: some Collection<Item>) -> [UInt8] {
        var text = [UInt8(ascii: "[")]
        text.reserveCapacity(items.reduce(2) { $0 + $1.text.count + 1 })
        for item in items {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            text += item.text
        }
        text.append(UInt8(ascii: "]"))
        return text
    }
}

// MARK: As profiles have it

extension MockCollection {
    static let key = "collection"

    /// The collection of a mock's fields; nil where there is none, and after a report.
    ///
    /// - Parameter path: the route's; nil where it has none.
    static func decode(_ fields: Fields, at path: PathPattern?) -> MockCollection? {
        guard let member = fields.member(key) else { return nil }
        for other in ["status", "responses", "template", "loop", "seed"] {
            guard let other = fields.member(other) else { continue }
            fields.report(
                other, "\"\(other.key)\" beside \"\(key)\"",
                expected: "\"headers\" and \"delay\" alone: the responses follow from the requests")
        }
        guard let path else {
            return fields.refuse(
                member, "\"\(key)\" in a route without \"path\"", expected: "a path like \"/v1/items\"",
                hint: "items have their ids as the segment behind it")
        }
        guard let source = source(member.value, fields) else { return nil }
        return MockCollection(source: source, depth: path.bytes.isEmpty ? 0 : path.segments.count)
    }

    private static func source(_ value: JSONValue, _ fields: Fields) -> Source? {
        let reporter = fields.reporter
        guard let name = value.string else {
            guard value.array != nil else {
                fields.wrongKind(key, value)
                return nil
            }
            return reporter.reading { () throws(JSONFailure) in try CollectionItems(value) }.map { .items($0) }
        }
        let file = MockFile(name: name, path: reporter.absolute(name), template: nil)
        do throws(MockFile.Failure) {
            let bytes = try file.read()
            let inFile = Reporter(file: file.path, problems: reporter.problems)
            let items = inFile.reading { () throws(JSONFailure) in try CollectionItems(reading: bytes) }
            return items.map { _ in .file(file) }
        } catch {
            return reporter.refuse(
                value, "the mock's file \"\(name)\" \(error.reason)", expected: "a file at \(file.path)",
                hint: Reporter.ofPaths)
        }
    }
}
