import JSON
import Profiles
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The declarations of keys, and what is made of them: `.ci/keys` writes the schema and the tables of documents anew.
@Suite struct KeyTableTests {
    private static let isWritten = getenv("SHUNT_KEYS") != nil
    private static let docs = LibraryTests.root + "/docs"

    @Test func `the schema describes each key and leads nowhere in vain`() throws {
        let path = LibraryTests.root + "/Profiles/profile.schema.json"
        if Self.isWritten { try write(KeyTables.schema, path) }
        #expect(try String(decoding: bytes(path), as: UTF8.self) == KeyTables.schema, "`.ci/keys` writes it")
        let schema = try JSONReader.read(KeyTables.schema, dialect: .strict)
        let definitions = try #require(schema["$defs"]?.object)
        var found: Set<String> = []
        func visit(_ value: JSONValue) {
            for member in value.object ?? [] {
                if member.key == "$ref", let name = member.value.string { found.insert(name) }
                if member.key == "properties" {
                    #expect(member.value.object?.allSatisfy { $0.value["description"]?.string != nil } == true)
                }
                visit(member.value)
            }
            value.array?.forEach(visit)
        }
        visit(schema)
        #expect(found == Set(definitions.map { "#/$defs/\($0.key)" }))
        #expect(
            schema["properties"]?["kind"]?["enum"]?.array?.compactMap(\.string) == ProfileKind.allCases.map(\.rawValue))
    }

    @Test(arguments: try names(docs).filter { $0.hasSuffix(".md") }.sorted())
    func `the tables of keys in documents are the declarations`(name: String) throws {
        let path = Self.docs + "/" + name
        let text = try String(decoding: bytes(path), as: UTF8.self)
        let made = try Self.withTables(text, in: name)
        if Self.isWritten { try write(made, path) }
        #expect(made == text, "`.ci/keys` writes it")
    }

    /// A document with a table below each `<!-- keys: NAME -->`.
    private static func withTables(_ text: String, in document: String) throws -> String {
        var lines: [String] = []
        var isTable = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if isTable, line.hasPrefix("|") { continue }
            isTable = false
            lines.append(line)
            guard line.hasPrefix("<!-- keys: "), let name = line.split(separator: " ").dropLast().last else { continue }
            lines += table(try #require(KeyTables.rows(of: String(name)), "\(line)"), in: document)
            isTable = true
        }
        return lines.joined(separator: "\n")
    }

    private static func table(_ rows: [KeyRow], in document: String) -> [String] {
        let hasUsual = rows.contains { $0.usual != nil }
        return ["| key | value | meaning |", "|---|---|---|"].map {
            $0 + (!hasUsual ? "" : $0.hasPrefix("|-") ? "---|" : " without it |")
        }
            + rows.map { row in
                "| `\(row.name)` | \(marked(row.value))\(row.beside.map { "; " + marked($0) } ?? "") | \(marked(row.meaning))\(link(row.see, in: document)) |"
                    + (hasUsual ? " \(row.usual.map(marked) ?? "") |" : "")
            }
    }

    private static func link(_ target: String?, in document: String) -> String {
        guard let target, target != document else { return "" }
        let isOwn = target.hasPrefix(document + "#")
        return " ([more](\(isOwn ? String(target.dropFirst(document.count)) : target)))"
    }

    /// With what is between quotes as code, and nothing that a table or Markdown would take for its own.
    private static func marked(_ text: String) -> String {
        var (marked, isQuoted, depth) = ("", false, 0)
        for character in text.replacing("`", with: "") {
            switch character {
            case "{", "[":
                if depth == 0, !isQuoted { marked += "`" }
                depth += isQuoted ? 0 : 1
                marked.append(character)
            case "}", "]":
                marked.append(character)
                depth -= isQuoted ? 0 : 1
                if depth == 0, !isQuoted { marked += "`" }
            case "\"":
                if depth == 0, !isQuoted { marked += "`" }
                marked.append(character)
                if depth == 0, isQuoted { marked += "`" }
                isQuoted.toggle()
            case "|": marked += "\\|"
            case "*" where depth == 0 && !isQuoted, "<" where depth == 0 && !isQuoted: marked += "\\\(character)"
            default: marked.append(character)
            }
        }
        return marked
    }
}
