import Bytes
import HTTP
import Rewriting
import Testing

@Suite struct BodyHeadTests {
    func written(
        _ value: String, capacity: Int = 200, _ append: (Span<UInt8>, inout Buffer) -> Bool
    ) -> String? {
        let bytes = ContiguousArray(value.utf8)
        var out = Buffer(capacity: capacity)
        guard append(bytes.span, &out) else { return out.isEmpty ? nil : "a part of it" }
        return String(decoding: out.unsafeBytes, as: UTF8.self)
    }

    static let accepted = [
        ("gzip, deflate, br, zstd", "gzip, deflate, br, zstd"), ("gzip;q=0.5 ,br; q=1.0", "gzip;q=0.5, br; q=1.0"),
        ("dcb, dcz, br", "br"), ("X-GZIP,compress", "X-GZIP"), ("*", "identity"), ("*;q=0.5, gzip", "gzip"),
        ("gzip, *;q=0", "gzip, *;q=0"), ("*; q=0.00 , br", "*; q=0.00, br"), ("*;q=0, dcb", "identity"),
        ("", "identity"),
        ("compress", "identity"), ("identity;q=0.1, dcb", "identity;q=0.1"), (",, ,", "identity"),
        ("gzip;q=0", "gzip;q=0"),
    ]

    @Test(arguments: accepted)
    func `origins are asked for codings that can be undone`(value: String, expected: String) {
        #expect(written(value) { BodyRewriter.appendAcceptEncoding(from: $0, to: &$1) } == expected)
        #expect(
            written(value, capacity: expected.utf8.count) { BodyRewriter.appendAcceptEncoding(from: $0, to: &$1) }
                == expected)
        #expect(
            written(value, capacity: expected.utf8.count - 1) { BodyRewriter.appendAcceptEncoding(from: $0, to: &$1) }
                == nil)
    }

    @Test(arguments: [(#""x""#, #"W/"x""#), (#"W/"x""#, #"W/"x""#), (#" "x" "#, #"W/"x""#), (#"w/"x""#, #"W/w/"x""#)])
    func `a strong entity tag becomes weak`(value: String, expected: String) {
        #expect(written(value) { BodyRewriter.appendWeakETag($0, to: &$1) } == expected)
        #expect(written(value, capacity: expected.utf8.count - 1) { BodyRewriter.appendWeakETag($0, to: &$1) } == nil)
    }

    @Test func `what tells of bytes that are no longer there goes, and dates stay`() {
        let dropped = BodyRewriter.droppedFields
        for name in [FieldName.contentLength, .contentMd5, .digest, .contentDigest, .reprDigest, .acceptRanges] {
            #expect(dropped.contains(name))
        }
        for name in [FieldName.lastModified, .etag, .contentEncoding, .contentType] { #expect(!dropped.contains(name)) }
    }
}
