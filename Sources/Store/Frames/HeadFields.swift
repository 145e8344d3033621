import Bytes
import Platform
import Redaction

/// The fields of a head that describe its body (RFC 9110 8.3, 8.4).
package struct HeadFields {
    package private(set) var contentType: [UInt8]?
    /// Lines with the same name as one list.
    private(set) var contentEncoding: [UInt8]?
    /// The Content-Type, with a mark where the body is a part that begins in the middle (``PartialBody``).
    var bodyType: [UInt8]? { beginsInside ? (contentType ?? []) + PartialBody.mark : contentType }
    /// The media type alone, in small letters; nil if it is not one.
    private(set) var mediaType: [UInt8]?

    /// Reads a head that may be broken in any way.
    package init(_ head: ArraySlice<UInt8>) {
        read(head)
        mediaType = contentType.flatMap { Self.mediaType($0) }
        if isPage { contentType = RecordingRedaction.pageType }
    }

    private var isPage = false
    private var beginsInside = false

    private mutating func read(_ head: ArraySlice<UInt8>) {
        head.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            var at = 0
            while at < bytes.count {
                let start = at
                let end = memchr(base + at, 0x0A, bytes.count - at).map { UnsafeRawPointer($0) - base } ?? bytes.count
                at = end + 1
                if bytes[start] | 0x20 == UInt8(ascii: "s"), end - start > Self.ownPage.count,
                    Self.value(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), Self.ownPage) != nil
                {
                    isPage = true
                }
                // All three names begin alike, and few others do.
                guard end - start >= Self.type.count, bytes[start] | 0x20 == UInt8(ascii: "c"),
                    bytes[start + 7] == UInt8(ascii: "-")
                else { continue }
                let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                if let value = Self.value(line, Self.type) {
                    contentType = value
                } else if let value = Self.value(line, Self.encoding) {
                    contentEncoding = contentEncoding.map { $0 + [UInt8(ascii: ",")] + value } ?? value
                } else if let value = Self.value(line, Self.range), PartialBody.beginsInside(contentRange: value) {
                    beginsInside = true
                }
            }
        }
    }

    private static let type = Array("content-type:".utf8)
    private static let ownPage = Array("shunt-answered-by: shunt; error=".utf8)
    private static let range = Array("content-range:".utf8)
    private static let encoding = Array("content-encoding:".utf8)

    private static func value(_ line: UnsafeRawBufferPointer, _ name: [UInt8]) -> [UInt8]? {
        guard line.count >= name.count else { return nil }
        for index in name.indices where line[index] | 0x20 != name[index] | 0x20 { return nil }
        let value = line[name.count...].drop { isSpace($0) }
        return Array(value.prefix((value.lastIndex { !isSpace($0) } ?? value.startIndex - 1) + 1 - value.startIndex))
    }

    package static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    private static func mediaType(_ contentType: [UInt8]) -> [UInt8]? {
        let end = contentType.firstIndex { $0 == UInt8(ascii: ";") || isSpace($0) } ?? contentType.count
        let type = contentType[..<end]
        guard !type.isEmpty, type.count < 128, type.allSatisfy({ isToken($0) }) else { return nil }
        return type.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
    }

    /// RFC 9110 5.6.2, and the slash between type and subtype.
    private static func isToken(_ byte: UInt8) -> Bool {
        ByteSearch.isAlphanumeric(byte) || "/!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    /// Whether the body has a content coding.
    var isEncoded: Bool {
        guard let contentEncoding, !contentEncoding.isEmpty else { return false }
        return !contentEncoding.elementsEqual("identity".utf8) { $0 | 0x20 == $1 }
    }
}
