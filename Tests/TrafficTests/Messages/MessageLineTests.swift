import Exchanges
import Foundation
import Inspection
import JSON
import Store
import Testing

/// Messages on their way into a store and out of it, a line for each.
@Suite struct MessageLineTests {
    private func facts(
        _ kind: MessageFacts.Kind, _ length: Int, isCut: Bool = false, isUndecodable: Bool = false
    ) -> RecordedPiece.Part.Kind {
        var facts = MessageFacts(time: 1_700_000_000_123_456, sender: .origin, kind: kind, length: Int64(length))
        facts.isCut = isCut
        facts.isUndecodable = isUndecodable
        return .message(facts)
    }

    private func lines(
        _ parts: [(RecordedPiece.Part.Kind, [UInt8])], _ line: MessageLine, redacts: Bool = false
    ) throws -> [String] {
        let reader = try StoreBench().recorded([Pieces.whole(1, Pieces.exchange(), parts)]) { settings in
            if redacts { settings.redact() }
        }
        var bytes: [UInt8] = []
        for message in try reader.messages(of: 1, limit: 99) { line.append(message, of: 1, to: &bytes) }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `each message is one line, whatever is in it`() throws {
        let parts: [(RecordedPiece.Part.Kind, [UInt8])] = [
            (facts(.text, 12), Self.bytes("a\nb\u{1b}[2J\tc\u{9b}é")),
            (facts(.text, 300), Self.bytes(String(repeating: "é", count: 300))),
            (facts(.text, 0), []), (facts(.binary, 40), (0..<40).map { $0 * 6 }),
            (facts(.binary, 3), Self.bytes("abc")),
            (facts(.ping, 0), []), (facts(.close, 5), [3, 233] + Self.bytes("b\u{7}e")), (facts(.close, 0), []),
            (.eventType, Self.bytes("up\u{1b}")), (.eventID, Self.bytes("7")), (facts(.event, 1), Self.bytes("x")),
            (facts(.event, 1), Self.bytes("y")), (facts(.error, 4), Self.bytes("rule")),
            (facts(.text, 9, isCut: true), Self.bytes("cut")), (facts(.text, 9, isUndecodable: true), []),
            (facts(.text, 9), []),
        ]
        let found = try lines(parts, MessageLine(.text(color: false), width: 20))
        let texts = found.map { line in line.split(separator: " ", maxSplits: 2).last.map { String($0) } ?? "" }
        let expected = [
            "↓ text 12B a b?[2J\tc?é", "↓ text 300B éééééééééééééééééééé…", "↓ text 0B",
            "↓ binary 40B 00060c12181e242a3036…", "↓ binary 3B abc", "↓ ping 0B", "↓ close 5B 1001 b?e", "↓ close 0B",
            "↓ event 1B up? #7 x", "↓ event 1B y", "↓ error rule", "↓ text 9B cut (cut)",
            "↓ text 9B (compressed, and what it refers to is not known)", "↓ text 9B (dropped, for the disk was slow)",
        ]
        #expect(texts == expected)
        #expect(found.allSatisfy { $0.hasPrefix("     1 ") && $0.contains(":13:20.123 ") })
    }

    @Test func `JSON has all of it`() throws {
        let found = try lines(
            [
                (facts(.text, 9, isCut: true), Self.bytes("a\nb")), (facts(.binary, 2), [0xFF, 0]),
                (facts(.close, 4), [3, 232] + Self.bytes("ok")), (.eventType, Self.bytes("up")),
                (facts(.event, 0), []), (facts(.text, 5, isUndecodable: true), []),
            ], MessageLine(.json)
        ).map { try JSONReader.read($0, dialect: .strict) }
        try #require(found.map { $0["number"]?.number?.int64 } == [0, 1, 2, 3, 4])
        #expect(found.allSatisfy { $0["exchange"]?.number?.int64 == 1 && $0["from"]?.string == "origin" })
        #expect(found[0]["text"]?.string == "a\nb" && found[0]["cut"]?.bool == true)
        #expect(found[0]["time"]?.string == "2023-11-14T22:13:20.123Z" && found[0]["length"]?.number?.int64 == 9)
        #expect(found[1]["base64"]?.string == "/wA=" && found[1]["cut"] == nil)
        #expect(found[2]["code"]?.number?.int64 == 1000 && found[2]["reason"]?.string == "ok")
        #expect(found[3]["event"]?.string == "up" && found[3]["text"]?.string == "" && found[3]["id"] == nil)
        #expect(found[4]["undecodable"]?.bool == true && found[4]["text"] == nil && found[4]["dropped"] == nil)
    }

    @Test func `secrets are replaced in all that is text, and a message does not look cut for that`() throws {
        let secret = Self.bytes("{\"password\": \"hunter2secret-that-is-long-enough-to-shrink-when-it-is-replaced\"}")
        let found = try lines(
            [
                (facts(.text, secret.count), secret), (facts(.binary, secret.count), secret),
                (facts(.close, secret.count + 2), [3, 232] + secret), (.eventType, secret), (.eventID, secret),
                (facts(.event, secret.count), secret),
            ], MessageLine(.text(color: false), width: .max), redacts: true)
        #expect(found.count == 4)
        for line in found {
            #expect(line.contains("<redacted:password:") && !line.contains("hunter2") && !line.contains("(cut)"))
        }
        #expect(found[2].contains("1000 {") && found[3].components(separatedBy: "<redacted:").count == 4)
    }

    @Test func `the store's limit holds for messages, too`() throws {
        let reader = try StoreBench().recorded([
            Pieces.whole(1, Pieces.exchange(), [(facts(.text, 9), Self.bytes("123456789"))])
        ]) { $0.bodyLimit = 5 }
        let message = try #require(try reader.messages(of: 1, limit: 1).first)
        #expect(message.bytes == Self.bytes("12345") && message.facts.isCut && message.facts.length == 9)
    }
}
