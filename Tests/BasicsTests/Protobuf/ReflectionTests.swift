import Protobuf
import TestSupport
import Testing

/// What servers say of themselves.
@Suite struct ReflectionTests {
    private static func message(_ field: UInt64, _ parts: [[UInt8]]) -> [UInt8] {
        var inner = ProtobufWriter()
        for part in parts { inner.data(1, part) }
        var writer = ProtobufWriter()
        writer.data(field, inner.bytes)
        return writer.bytes
    }

    private static func text(_ value: String) -> [UInt8] { ProtobufWriter.text(of: 1, value) }

    /// The descriptors of the files of a set, each by itself.
    private static func files() -> [ArraySlice<UInt8>] {
        guard case .files(let files)? = ReflectionAnswer(set(field: 4)[...]) else { return [] }
        return files
    }

    private static func set(field: UInt64) -> [UInt8] {
        var writer = ProtobufWriter()
        writer.data(field, ShopSchema.descriptors)
        return writer.bytes
    }

    @Test func `answers are services, files or a failure, and nothing else`() {
        let services = Self.message(6, [Self.text("a.B"), Self.text("a.C")])
        guard case .services(let names)? = ReflectionAnswer(services[...]) else {
            Issue.record("no services")
            return
        }
        #expect(names == ["a.B", "a.C"])
        var failure = ProtobufWriter()
        failure.varint(1, 5)
        failure.text(2, "no such symbol")
        var writer = ProtobufWriter()
        writer.data(7, failure.bytes)
        guard case .failure(let status, let text)? = ReflectionAnswer(writer.bytes[...]) else {
            Issue.record("no failure")
            return
        }
        #expect(status == 5 && text == "no such symbol")
        for bytes in [[], [0xFF], Array("<html>".utf8)] as [[UInt8]] {
            let isNone = ReflectionAnswer(bytes[...]) == nil
            #expect(isNone)
        }
    }

    @Test func `files make the schema that a set makes, in any order, and say what is missing`() throws {
        let all = Self.files()
        #expect(all.count > 2)
        var files = ReflectionFiles()
        let last = try #require(all.last)
        let isTaken = files.add(last)
        #expect(isTaken && files.missing.contains("google/protobuf/any.proto"))
        for file in all.reversed() {
            let isTaken = files.add(file)
            #expect(isTaken)
        }
        #expect(files.missing.isEmpty && files.count == all.count)
        let schema = try ProtobufSchema(descriptors: files.set)
        #expect(schema.method(ofPath: "/shop.v1.Cart/Get")?.output == "shop.v1.Item")
        let isNoFile = files.add([0xFF])
        #expect(!isNoFile)
    }

    // MARK: As a server

    /// A set with extensions, in a file that imports another one.
    private static func extended() throws -> ProtobufSchema {
        func field(_ name: String, _ number: UInt64, extends type: String? = nil) -> [UInt8] {
            var writer = ProtobufWriter()
            writer.text(1, name)
            if let type { writer.text(2, "." + type) }
            writer.varint(3, number)
            writer.varint(4, 1)
            writer.varint(5, 5)
            return writer.bytes
        }
        var set = ProtobufWriter()
        set.message(1) { file in
            file.text(1, "base.proto")
            file.text(2, "b")
            file.message(4) { $0.text(1, "Base") }
        }
        set.message(1) { file in
            file.text(1, "more.proto")
            file.text(2, "m")
            file.text(3, "base.proto")
            // A circle, as no compiler writes it.
            file.text(3, "more.proto")
            file.data(7, field("top", 150, extends: "b.Base"))
            file.message(4) { message in
                message.text(1, "Outer")
                message.data(6, field("inner", 101, extends: "b.Base"))
            }
        }
        return try ProtobufSchema(descriptors: set.bytes)
    }

    private static func name(_ file: ArraySlice<UInt8>) -> String {
        String(decoding: file.dropFirst(2).prefix(Int(file[file.startIndex + 1])), as: UTF8.self)
    }

    /// What an answer says, after it was written and read.
    private static func said(_ catalog: ReflectionCatalog, _ question: ReflectionQuestion) -> [String] {
        var sent: Set<String> = []
        let read = ReflectionQuestion(question.bytes[...])
        #expect(read == question)
        let bytes = catalog.answer(to: question, sent: &sent).pieces(to: question.bytes[...]).joined()
        switch ReflectionAnswer(Array(bytes)[...]) {
        case .services(let names): return names
        case .files(let files): return files.map(Self.name)
        case .extensions(let type, let numbers): return [type] + numbers.map { "\($0)" }
        case .failure(let status, let text): return ["\(status) \(text)"]
        case nil: return ["nothing"]
        }
    }

    @Test(
        arguments: [
            (.services, ["a.S", "b.S"]), (.symbol("m.top"), ["more.proto", "base.proto"]),
            (.symbol("m.Outer.inner"), ["more.proto", "base.proto"]), (.symbol("b.Base"), ["base.proto"]),
            (.symbol("shop.v1.Item.StockEntry.key"), ["shop.proto", "google/protobuf/any.proto"]),
            (.symbol("b"), ["5 no mock has the symbol b"]), (.symbol(""), ["5 no mock has the symbol "]),
            (.file("base.proto"), ["base.proto"]), (.extensionNumbers("b.Base"), ["b.Base", "101", "150"]),
            (.extensionNumbers("m.Outer"), ["m.Outer"]),
            (.extensionNumbers("b.None"), ["5 no mock has the message b.None"]),
            (.extension(of: "b.Base", number: 101), ["more.proto", "base.proto"]),
            (.extension(of: "b.Base", number: 7), ["5 no mock has the extension 7 of b.Base"]),
            (.extension(of: "b.Base", number: -1), ["5 no mock has the extension -1 of b.Base"]),
        ] as [(ReflectionQuestion, [String])])
    func `questions are answered by several schemas`(question: ReflectionQuestion, said: [String]) throws {
        let catalog = ReflectionCatalog(
            [try Self.extended(), try ProtobufSchema(descriptors: ShopSchema.descriptors)], services: ["a.S", "b.S"])
        let found = Self.said(catalog, question)
        #expect(said.first == "shop.proto" ? Set(said).isSubset(of: found) : found == said)
    }

    @Test func `of several questions in one message the last one counts, and what asks for nothing is none`() {
        let both = ReflectionQuestion.services.bytes + ReflectionQuestion.file("a").bytes
        #expect(ReflectionQuestion(both[...]) == .file("a"))
        let host = ProtobufWriter.text(of: 1, "host")
        for bytes in [[], host, [0xFF], [0x2A, 1, 0xFF]] as [[UInt8]] { #expect(ReflectionQuestion(bytes[...]) == nil) }
    }

    @Test func `long names and deep declarations are refused`() {
        // Each of the messages has the package in its full name.
        var set = ProtobufWriter()
        set.message(1) { file in
            file.text(1, "long.proto")
            file.text(2, String(repeating: "p", count: 1 << 20))
            for number in 0..<100 { file.message(4) { $0.text(1, "M\(number)") } }
        }
        let failure = #expect(throws: ProtobufSchema.Failure.self) { try ProtobufSchema(descriptors: set.bytes) }
        #expect(failure?.message == "its full names have more than 64 MiB together")
        var deep: [UInt8] = ProtobufWriter.text(of: 1, "M")
        for _ in 0..<200 {
            var outer = ProtobufWriter()
            outer.text(1, "M")
            outer.data(3, deep)
            deep = outer.bytes
        }
        var other = ProtobufWriter()
        other.message(1) { file in
            file.text(1, "deep.proto")
            file.data(4, deep)
        }
        let second = #expect(throws: ProtobufSchema.Failure.self) { try ProtobufSchema(descriptors: other.bytes) }
        #expect(second?.message.contains("too deeply") == true)
    }
}

extension ProtobufWriter {
    fileprivate static func text(of field: UInt64, _ text: String) -> [UInt8] {
        var writer = ProtobufWriter()
        writer.text(field, text)
        return writer.bytes
    }
}
