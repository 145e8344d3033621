package import GraphQL
package import Platform

/// A file whose bytes are a mock's body, read when they are needed.
public struct MockFile: Hashable, Sendable {
    /// As the profile spells it.
    public let name: String
    /// Absolute.
    public let path: String
    /// How its text is read as a template; nil where it is sent as it is.
    let template: TemplateParser?

    /// The longest that is read, as it is held in memory.
    package static let maxBytes = 16 << 20

    /// Why there are no bytes: completes "the file …".
    package struct Failure: Error {
        package let reason: String

        package init(reason: String) { self.reason = reason }
    }

    /// One `stat`.
    package func look() throws(Failure) -> FileLook {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw Failure(reason: "cannot be read: \(String(cString: strerror(errno)))")
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Failure(reason: "is no regular file") }
        return FileLook(status)
    }

    /// The template that the file's bytes are; nil where they are sent as they are.
    package func template(of bytes: [UInt8]) throws(Failure) -> MockTemplate? {
        guard let template else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        do throws(TemplateParser.Failure) { return try template.parse(text) } catch {
            let (line, column) = Self.place(of: error.offset, in: text)
            throw Failure(reason: "is no template: line \(line), column \(column): \(error.refusal.message)")
        }
    }

    /// The types of an API of GraphQL that the file's bytes are.
    package func schema(of bytes: [UInt8]) throws(Failure) -> GraphQLSchema {
        do throws(GraphQLSchemaFailure) { return try GraphQLSchema(bytes, name: name) } catch {
            throw Failure(reason: "is no schema of GraphQL: \(error)")
        }
    }

    /// From 1, as people count.
    static func place(of offset: Int, in text: String) -> (line: Int, column: Int) {
        let before = text.prefix(offset)
        let line = before.count { $0.isNewline } + 1
        return (
            line,
            (before.lastIndex { $0.isNewline }.map { before[before.index(after: $0)...].count } ?? before.count) + 1
        )
    }

    package func read() throws(Failure) -> [UInt8] {
        do throws(FileFailure) { return try Files.read(path, limit: Self.maxBytes) } catch {
            let isTooLong = error.code == EFBIG
            throw Failure(
                reason: isTooLong ? "is longer than 16 MiB, a mock's longest body" : "cannot be read: \(error.reason)")
        }
    }
}
