import Bytes
import Testing

@Suite struct ByteSearchTests {
    /// Lengths around a word's, and bytes whose high bits carry.
    @Test(arguments: 0...19)
    func `a byte is found at every place, whatever stands around it`(count: Int) {
        for filler: UInt8 in [0x00, 0x01, 0x7F, 0x80, 0xFF, 0x2E] {
            for place in 0...count {
                var bytes = [UInt8](repeating: filler, count: count)
                if place < count { bytes[place] = 0x2F }
                bytes.withSpan { span in
                    #expect(ByteSearch.byte(0x2F, in: span, from: 0, to: count) == place)
                    #expect(ByteSearch.either(0x2F, 0x41, in: span, from: 0, to: count) == place)
                    #expect(ByteSearch.either(0x41, 0x2F, in: span, from: 0, to: count) == place)
                }
            }
        }
    }

    @Test(arguments: UInt8.min...UInt8.max)
    func `classes of bytes are those of ASCII`(byte: UInt8) {
        let scalar = Unicode.Scalar(byte)
        let isASCII = scalar.isASCII
        #expect(ByteSearch.isBlank(byte) == (scalar == " " || scalar == "\t"))
        #expect(ByteSearch.isSpace(byte) == (scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r"))
        #expect(
            ByteSearch.isAlphanumeric(byte)
                == (isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))))
        #expect(ByteSearch.hexDigit(byte) == (isASCII ? Character(scalar).hexDigitValue.map { UInt8($0) } : nil))
        #expect(ByteSearch.lowercased(byte) == (isASCII ? Character(scalar).lowercased().utf8.first : byte))
    }

    @Test(arguments: [("", 0..<0), (" a\t", 1..<2), ("\r\n", 2..<2), ("ab", 0..<2), (" a b ", 1..<4)])
    func `spaces at the ends are left out`(text: String, range: Range<Int>) {
        let trimmed = Array(text.utf8).withSpan { $0.trimmed(0..<$0.count) }
        #expect(trimmed.count == range.count && (range.isEmpty || trimmed == range))
    }
}
