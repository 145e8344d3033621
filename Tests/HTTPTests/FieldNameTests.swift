import HTTP
import Testing

@Suite struct FieldNameTests {
    @Test(arguments: FieldName.allCases.dropFirst())
    func `a known name is found in whatever case, and nothing that is nearly it`(name: FieldName) {
        let text = "\(name.text)"
        for spelling in [text, text.lowercased(), text.uppercased()] {
            #expect(FieldName.lookup(bytes(spelling).span) == name)
        }
        #expect(FieldName.lookup(bytes(text + "x").span) != name)
        #expect(FieldName.lookup(bytes(text + "\0").span) != name)
        #expect(FieldName.lookup(bytes(text + ":").span) != name)
        #expect(FieldName.lookup(bytes(String(text.dropLast())).span) != name)
        for index in bytes(text).indices {
            for flip: UInt8 in [0x01, 0x20, 0x40, 0x80] {
                var other = bytes(text)
                other[index] ^= flip
                let isSame = String(decoding: other, as: UTF8.self).lowercased() == text.lowercased()
                #expect((FieldName.lookup(other.span) == name) == isSame, "\(other)")
            }
        }
    }

    @Test func `what is not known is other`() {
        for text in ["", "x", "Hos", "Hosts", "X-Shunt", String(repeating: "content-length", count: 9)] {
            #expect(FieldName.lookup(bytes(text).span) == .other)
        }
    }

    @Test func `a set holds what it was given`() {
        let set: FieldNameSet = [.host, .accessControlAllowOrigin]
        #expect(FieldName.allCases.filter { set.contains($0) } == [.host, .accessControlAllowOrigin])
    }

    @Test func `a status has its registered reason, or none`() {
        for (status, reason) in [(100, "Continue"), (200, "OK"), (431, "Request Header Fields Too Large"), (299, "")] {
            #expect("\(reasonPhrase(for: status))" == reason)
        }
    }
}
