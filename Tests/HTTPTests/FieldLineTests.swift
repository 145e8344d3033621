import HTTP
import Testing

/// Usual lines are read by words and all others by bytes: where one ends and the other begins must not show.
@Suite struct FieldLineTests {
    static let letters = bytes("qrstuvwxyzQRSTUVWXYZ0123456789-._")

    /// The first field of a response's head, if the head is read.
    func field(_ line: [UInt8], behind rest: String = "") -> (Field, [UInt8])? {
        let input = bytes("HTTP/1.1 200 OK\r\n") + line + bytes("\r\n\r\n")
        var head = ResponseHead()
        guard (try? head.parse((input + bytes(rest)).span, to: .get)) == input.count, let field = head.fields.first
        else {
            return nil
        }
        return (field, input)
    }

    /// White space in front of a value and behind it.
    static let blanks = [("", ""), (" ", ""), (" ", " "), ("  ", ""), ("\t", "\t "), ("", "\t")]

    @Test(arguments: ["", "{\"a\": 1}, and so on"])
    func `a line is read alike whatever the lengths in it`(rest: String) {
        for nameLength in 1...19 {
            let name = Array(Self.letters[..<nameLength])
            for valueLength in 0...34 {
                let value = Array(Self.letters.prefix(valueLength)) + bytes(valueLength == 34 ? "\u{E9}" : "")
                for (front, back) in Self.blanks {
                    let line = name + bytes(":" + front) + value + bytes(back)
                    guard let (field, input) = field(line, behind: rest) else {
                        Issue.record("not read: \(String(decoding: line, as: UTF8.self))")
                        continue
                    }
                    #expect(Array(input[field.name]) == name)
                    #expect(Array(input[field.value]) == value)
                    #expect(Array(input[field.line]) == line + bytes("\r\n"))
                    #expect(field.id == .other)
                }
            }
        }
    }

    @Test(arguments: [1, 2, 3, 7, 8, 9, 15, 16, 17, 23])
    func `each byte of a name is a token's`(length: Int) {
        let tokens = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        for byte in UInt8.min...UInt8.max {
            for place in 0..<length {
                var name = Array(Self.letters[..<length])
                name[place] = byte
                // A colon makes the name shorter, and must not make it empty.
                let isAllowed = tokens.contains(byte) || byte == 0x3A && place > 0
                #expect((field(name + bytes(": v")) != nil) == isAllowed, "byte \(byte) at \(place)")
            }
        }
    }

    /// In a trailer section no value is looked at.
    func id(_ name: [UInt8]) -> FieldName? {
        var decoder = BodyDecoder(.chunked)
        let input = bytes("0\r\n") + name + bytes(": v\r\n\r\n")
        guard (try? decoder.next(input.span)) == .framing(3),
            case .trailers? = try? decoder.next(input.span.extracting(3..<input.count))
        else { return nil }
        return decoder.trailers.first?.id
    }

    @Test(arguments: FieldName.allCases.dropFirst())
    func `a line has a known name in whatever case, and no other that is nearly it`(name: FieldName) {
        let text = "\(name.text)"
        for spelling in [text, text.lowercased(), text.uppercased()] { #expect(id(bytes(spelling)) == name) }
        #expect(id(bytes(text + "x")) != name)
        #expect(id(bytes("x" + text)) != name)
        for byte in UInt8.min...UInt8.max where byte != 0x3A {
            #expect(id(bytes(text) + [byte]) != name, "byte \(byte) behind it")
            #expect(id([byte] + bytes(text)) != name, "byte \(byte) in front of it")
        }
        for index in bytes(text).indices {
            for flip: UInt8 in [0x01, 0x20, 0x40, 0x80] {
                var other = bytes(text)
                other[index] ^= flip
                let isSame = String(decoding: other, as: UTF8.self).lowercased() == text.lowercased()
                #expect((id(other) == name) == isSame, "\(other)")
            }
        }
    }

    @Test(arguments: [1, 31, 32, 33, 63, 64, 65, 100])
    func `lines stay in their order, however many there are`(count: Int) throws {
        let lines = (0..<count).map { "X-\($0): \($0)\($0 % 7 == 3 ? "\t" : "")\r\n" }
        let input = bytes("HTTP/1.1 200 OK\r\n" + lines.joined() + "\r\n")
        var head = ResponseHead()
        #expect(try head.parse(input.span, to: .get, limits: HeadLimits(fields: count)) == input.count)
        #expect(head.fields.map { text(input, $0.line) } == lines)
        head.restart()
        #expect(throws: HTTPFailure.self) {
            try head.parse(input.span, to: .get, limits: HeadLimits(fields: count - 1))
        }
    }

    @Test func `usual methods are told from those that begin like them`() throws {
        let names = [
            "GET", "PUT", "HEAD", "POST", "GE", "GETT", "PUTT", "HEA", "HEADD", "POS", "POSTT", "get", "DELETE",
        ]
        for name in names {
            let input = head("\(name) / HTTP/1.1", "Host: a")
            var request = RequestHead()
            #expect(try request.parse(input.span) == input.count)
            #expect(request.method == Method.lookup(bytes(name).span))
            #expect(text(input, request.methodRange) == name)
        }
    }
}
