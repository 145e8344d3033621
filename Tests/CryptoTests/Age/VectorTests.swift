import Age
import Bytes
import CZlib
import Foundation
import TLS
import Testing

/// One of C2SP's test vectors.
struct Vector: CustomTestStringConvertible, Sendable {
    let name: String
    let fields: [String: [String]]
    let file: [UInt8]

    var testDescription: String { name }
    var expected: String { fields["expect"]?.first ?? "" }

    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Vectors")

    /// All of them.
    static let all: [Vector] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0 != "README.md" }.sorted().compactMap { name in
            guard let data = try? Data(contentsOf: folder.appendingPathComponent(name)),
                let border = data.range(of: Data("\n\n".utf8))
            else { return nil }
            var fields: [String: [String]] = [:]
            for line in String(decoding: data[..<border.lowerBound], as: UTF8.self).split(separator: "\n") {
                let parts = line.split(separator: ":", maxSplits: 1)
                fields[String(parts[0]), default: []].append(
                    parts.dropFirst().joined().trimmingCharacters(in: .whitespaces))
            }
            var file = Array(data[border.upperBound...])
            if fields["compressed"] == ["zlib"] { file = inflated(file) }
            return Vector(name: name, fields: fields, file: file)
        }
    }()

    private static func inflated(_ bytes: [UInt8]) -> [UInt8] {
        var room = [UInt8](repeating: 0, count: 32 << 20)
        var count = uLong(room.count)
        guard uncompress(&room, &count, bytes, uLong(bytes.count)) == Z_OK else { return [] }
        return Array(room.prefix(Int(count)))
    }

    /// It needs ML-KEM, which OpenSSL has from 3.5 on.
    var isPostQuantum: Bool { (fields["identity"] ?? []).contains { $0.hasPrefix("AGE-SECRET-KEY-PQ-") } }
}

@Suite struct VectorTests {
    @Test func `the vectors are there`() {
        #expect(Vector.all.count == 143)
        #expect(Vector.all.filter(\.isPostQuantum).count == 19)
    }

    @Test(arguments: Vector.all.filter { !$0.isPostQuantum })
    func `each vector ends as it is expected to`(_ vector: Vector) throws {
        var identities: [any AgeIdentity] = []
        for text in vector.fields["identity"] ?? [] { identities.append(try X25519Identity(text)) }
        for text in vector.fields["passphrase"] ?? [] { identities.append(Passphrase(SecretBytes(Array(text.utf8)))) }
        let (outcome, plain) = open(vector.file, identities)
        // With something in front of it, armor is not taken for armor.
        let isHidden = vector.fields["armored"] != nil && !looksArmored(vector.file)
        let expected = isHidden && vector.expected == "armor failure" ? "header failure" : vector.expected
        #expect(outcome == (expected == "success" ? .success : .failure(expected)))
        if let digest = vector.fields["payload"]?.first { #expect(sha256(plain.span).map { Hex.text($0) } == digest) }
    }

    /// Their headers are read like others; to the identities that are supported they are strangers.
    @Test(arguments: Vector.all.filter(\.isPostQuantum))
    func `a file to a post-quantum recipient is read as one for others`(_ vector: Vector) throws {
        for text in vector.fields["identity"] ?? [] where text.hasPrefix("AGE-SECRET-KEY-PQ-") {
            guard case .failure(let failure) = IdentityText.identities(text) else {
                Issue.record("a post-quantum identity was taken")
                continue
            }
            #expect(failure.failure.message.contains("ML-KEM"))
        }
        // What is wrong with the header's form is found without its keys.
        let expected =
            ["hybrid_not_canonical_body", "hybrid_x25519_arg"].contains(vector.name)
            ? "header failure" : "no match"
        #expect(open(vector.file, [try X25519Identity.generate()]).outcome == .failure(expected))
    }

    private func looksArmored(_ bytes: [UInt8]) -> Bool {
        bytes.first { !($0 == 0x20 || (0x09...0x0D).contains($0)) } == UInt8(ascii: "-")
    }
}
