import Bytes
import Testing

@Suite struct TextFormTests {
    @Test(
        arguments: [
            ([], ""), ([0], "00"), ([0x0F, 0xF0], "0ff0"), ([0xDE, 0xAD, 0xBE, 0xEF], "deadbeef"),
        ] as [([UInt8], String)])
    func `hexadecimal digits go there and back`(bytes: [UInt8], text: String) {
        #expect(Hex.text(bytes) == text)
        #expect(Hex.bytes(text) == bytes)
        #expect(Hex.bytes(text.uppercased()) == bytes)
    }

    @Test(arguments: ["0", "0g", "00 ", "é0", "0x00"])
    func `what is not hexadecimal has no bytes`(text: String) { #expect(Hex.bytes(text) == nil) }

    // The test vectors of RFC 4648 section 10, and all bits.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"), ("??>", "Pz8+"), ("???", "Pz8/"),
    ])
    func `Base64 goes there and back, in one piece or in many`(text: String, base64: String) {
        let bytes = Array(text.utf8)
        #expect(Base64Encoder.text(bytes) == base64)
        #expect(Base64Decoder.bytes(base64) == bytes)
        var encoder = Base64Encoder()
        var pieces: [UInt8] = []
        for byte in bytes { pieces += encoder.encode([byte]) }
        #expect(String(decoding: pieces + encoder.finish(), as: UTF8.self) == base64)
    }

    @Test(arguments: [("Pz8_", "???"), ("Pz8-", "??>"), ("Zm9v\r\n Yg", "foob"), ("Zg", "f"), ("Zg=", "f")])
    func `Base64 is read in the alphabet for URLs, with line breaks and without padding`(base64: String, text: String) {
        #expect(Base64Decoder.bytes(base64) == Array(text.utf8))
    }

    @Test(arguments: ["A", "Zg===", "Zg==Zg", "Zm9v!", "Zé"])
    func `what is not Base64 has no bytes`(text: String) { #expect(Base64Decoder.bytes(text) == nil) }

    @Test(arguments: [
        ("", ""), ("a+b", "a b"), ("%41%7a", "Az"), ("%2B%2b", "++"), ("%", "%"), ("%4", "%4"), ("%4g", "%4g"),
        ("%%41", "%A"), ("100%+", "100% "), ("%C3%A9", "é"),
    ])
    func `escapes of forms are undone, and what is none stays`(text: String, plain: String) {
        #expect(FormCoding.decoded(Array(text.utf8)) == Array(plain.utf8))
    }

    @Test(arguments: [
        ("", ""), ("a b", "a+b"), ("a+b&c=d", "a%2Bb%26c%3Dd"), ("*-._~", "*-._%7E"), ("é\n", "%C3%A9%0A"),
    ])
    func `texts are escaped as forms have them`(text: String, escaped: String) {
        #expect(FormCoding.encoded(text) == escaped)
        #expect(FormCoding.decoded(Array(escaped.utf8)) == Array(text.utf8))
    }

    @Test(arguments: [
        ("", ""), ("a & b", "a &amp; b"), ("<b x=\"y\">", "&lt;b x=&quot;y&quot;&gt;"), ("e\u{301}'", "e\u{301}'"),
    ])
    func `HTML loses its meaning`(text: String, escaped: String) { #expect(HTMLText.escaped(text) == escaped) }

    @Test(arguments: [
        ("", "", 0), ("", "abc", 3), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "ac", 1), ("ac", "abc", 1),
        ("abcd", "acbd", 1), ("kitten", "sitting", 3), ("ab", "ba", 1), ("profile", "porfiel", 2),
    ])
    func `a distance counts letters that come, go, change or swap`(left: String, right: String, distance: Int) {
        #expect(editDistance(Array(left.utf8), Array(right.utf8)) == distance)
        #expect(editDistance(Array(right.utf8), Array(left.utf8)) == distance)
    }
}
