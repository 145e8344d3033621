import Bytes

/// A recorded head as texts: the start line, and fields in their order.
public struct HeadText: Sendable, Equatable {
    public struct Field: Sendable, Equatable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// Empty in a trailer section, and in a request as it was sent in HTTP/2.
    public var startLine = ""
    public var fields: [Field] = []

    /// Reads a head that may be broken in any way; lines that are no fields are left out.
    public init(_ bytes: [UInt8], isTrailer: Bool = false) {
        let lines = HeadLines(bytes, isTrailer: isTrailer)
        startLine = lines.text(lines.startLine)
        fields = lines.fields.map { Field(lines.text($0.name), lines.text($0.value)) }
    }

    public init(startLine: String, fields: [Field]) { (self.startLine, self.fields) = (startLine, fields) }

    /// UTF-8, or else every byte one character (RFC 9110 5.5), so that none is lost.
    static func text(_ bytes: some Collection<UInt8>) -> String {
        // Checking UTF-8 takes far longer, and nearly all of it is ASCII.
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = ""
        text.unicodeScalars.append(contentsOf: bytes.map { Unicode.Scalar($0) })
        return text
    }

    /// As a head has it on the wire.
    ///
    /// Line breaks within a value become spaces (RFC 9110 5.5).
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        if !startLine.isEmpty { bytes += Self.oneLine(startLine) + [0x0D, 0x0A] }
        for field in fields { bytes += Self.oneLine("\(field.name): \(field.value)") + [0x0D, 0x0A] }
        return bytes + [0x0D, 0x0A]
    }

    private static func oneLine(_ text: String) -> [UInt8] {
        text.utf8.map { $0 == 0x0D || $0 == 0x0A || $0 == 0 ? 0x20 : $0 }
    }

    public func values(of name: String) -> [String] { fields.filter { Self.isSame($0.name, name) }.map(\.value) }

    public func value(of name: String) -> String? { values(of: name).first }

    /// ASCII letters in either case.
    public static func isSame(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count
            && one.utf8.elementsEqual(other.utf8) { ByteSearch.lowercased($0) == ByteSearch.lowercased($1) }
    }

    /// Fields that concern one connection only (RFC 9110 7.6.1), in small letters.
    var hopByHop: Set<String> {
        var names: Set<String> = [
            "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
            "http2-settings", "proxy-authenticate",
        ]
        for value in values(of: "Connection") {
            for option in value.split(separator: ",") {
                names.insert(
                    String(decoding: option.utf8.filter { $0 > 0x20 }.map(ByteSearch.lowercased), as: UTF8.self))
            }
        }
        return names
    }
}
