import Foundation
import Rewriting
import Testing

/// Location, row by row of a file.
@Suite struct LocationTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let number: Int
        let origin, client, value, expected: String

        var testDescription: String { "line \(number): \(value)" }
    }

    static let rows: [Row] = {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "Golden/location.txt")
        let text = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
        return text.components(separatedBy: "\n").enumerated().compactMap { index, line in
            guard !line.isEmpty, !line.hasPrefix("#") else { return nil }
            let columns = line.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard columns.count == 4 else {
                return Row(number: index + 1, origin: "", client: "", value: line, expected: "")
            }
            return Row(
                number: index + 1, origin: columns[0], client: columns[1], value: columns[2], expected: columns[3])
        }
    }()

    /// `\xFF` and `\t` become bytes.
    private static func bytes(_ text: String) -> [UInt8] {
        var result: [UInt8] = []
        var rest = Substring(text)
        while let first = rest.first {
            if rest.hasPrefix("\\x"), let byte = UInt8(rest.dropFirst(2).prefix(2), radix: 16) {
                result.append(byte)
                rest = rest.dropFirst(4)
            } else if rest.hasPrefix("\\t") {
                result.append(0x09)
                rest = rest.dropFirst(2)
            } else {
                result += String(first).utf8
                rest = rest.dropFirst()
            }
        }
        return result
    }

    @Test func `there are rows, and each has its columns`() {
        #expect(Self.rows.count >= 60)
        #expect(Self.rows.allSatisfy { !$0.origin.isEmpty })
    }

    @Test(arguments: rows.filter { !$0.origin.isEmpty })
    func `clients see their own address`(row: Row) throws {
        let ends = Ends(row.origin, row.client)
        let value = Self.bytes(row.value)
        let expected = row.expected == "=" ? value : Self.bytes(row.expected)
        for (name, change) in [("Location", RewriteChanges.location), ("content-location", .contentLocation)] {
            let line = Array("\(name): ".utf8)
            let result = try ends.rules.response(line + value, ends)
            #expect(
                result.line == line + expected,
                "\(result.line.map { String(decoding: $0, as: UTF8.self) } ?? "left out")")
            #expect(result.changes == (row.expected == "=" ? [] : change))
        }
    }
}
