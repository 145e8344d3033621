import HTTP
import Testing

/// Each byte value in each place: what is looked at in words must come to the same wherever a word begins.
@Suite struct ByteClassTests {
    /// None of them is a hexadecimal digit, so that a percent sign is never an escape.
    static let letters = bytes("ghijklmnopqrstuvwxyzghijkl")

    /// Whether a request is read that has `byte` among harmless letters.
    func isRead(_ front: String, _ byte: UInt8, at place: Int, _ back: String) -> Bool {
        var middle = Self.letters
        middle[place] = byte
        let input = bytes(front) + middle + bytes(back)
        var head = RequestHead()
        return (try? head.parse(input.span)) == input.count
    }

    func expect(_ front: String, _ back: String, allows: (UInt8) -> Bool) {
        for byte in UInt8.min...UInt8.max {
            for place in Self.letters.indices.dropFirst().dropLast() {
                #expect(isRead(front, byte, at: place, back) == allows(byte), "byte \(byte) at \(place)")
            }
        }
    }

    let end = "\r\nHost: a\r\n\r\n"
    let tokens = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)

    @Test func `a value holds HTAB, and all but controls`() {
        expect("GET / HTTP/1.1\r\nX: ", end) { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }
        expect("GET / HTTP/1.1\r\nHost: a\r\nX: ", "\r\n\r\n") { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }
    }

    /// Clients send controls there, and RFC 9110 5.5 lets them be kept.
    @Test func `a cookie holds all but NUL, CR and LF`() {
        expect("GET / HTTP/1.1\r\nCookie: ", end) { ![0x00, 0x0A, 0x0D].contains($0) }
    }

    /// A colon in it would only make the name shorter.
    @Test func `a name is a token`() {
        expect("GET / HTTP/1.1\r\n", ": x" + end) { tokens.contains($0) || $0 == 0x3A }
        expect("GET / HTTP/1.1\r\nHost: a\r\n", ":\r\n\r\n") { tokens.contains($0) || $0 == 0x3A }
    }

    @Test func `a method is a token`() {
        expect("", " / HTTP/1.1" + end) { tokens.contains($0) }
    }

    @Test func `a path holds all above the space but for DEL and a fragment`() {
        expect("GET /", " HTTP/1.1" + end) { $0 > 0x20 && $0 != 0x7F && $0 != 0x23 }
    }

    @Test func `a query holds all above the space but for DEL and a fragment`() {
        expect("GET /?", " HTTP/1.1" + end) { $0 > 0x20 && $0 != 0x7F && $0 != 0x23 }
    }

    @Test func `a host holds letters, digits and a few signs`() {
        let allowed = tokens.subtracting("#%^`|".utf8).union("();=".utf8)
        expect("GET / HTTP/1.1\r\nHost: ", "\r\n\r\n") { allowed.contains($0) }
    }
}
