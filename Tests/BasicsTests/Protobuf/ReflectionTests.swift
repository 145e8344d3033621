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

    private static func text(_ value: String) -> [UInt8] {
        var writer = ProtobufWriter()
        writer.text(1, value)
        return writer.bytes
    }

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
}
