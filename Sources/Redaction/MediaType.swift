import Bytes

/// A Content-Type, as far as redaction depends on it (RFC 9110 8.3).
package struct MediaType {
    /// How a body of this type is read.
    enum Reading {
        case form
        case multipart
        case json
        case text
        case table
        /// The type says nothing about the content, which is read by what it begins with.
        case unknown
        /// A type of pictures, sound, archives and the like: only what begins like JSON, a form, XML or several parts is
        /// none.
        case binary
    }

    let reading: Reading
    /// Whether there is a type at all.
    let isNamed: Bool
    /// Whether it is XML, and HTML among it.
    let isMarkup: Bool
    let isHTML: Bool
    /// Whether it is source code, in which a word behind an equals sign is an expression.
    let isCode: Bool
    /// Whether it is a stream of events (HTML Standard, 9.2), which can be seen while it is open.
    let isEvents: Bool
    /// Whether its charset is one in which ASCII is not one byte each.
    let isWide: Bool

    static let json = MediaType(reading: .json, isNamed: true, isWide: false)

    private init(reading: Reading, isNamed: Bool, isWide: Bool) {
        (self.reading, self.isNamed, self.isWide) = (reading, isNamed, isWide)
        (isMarkup, isHTML, isCode, isEvents) = (false, false, false, false)
    }

    init(_ bytes: [UInt8]) {
        let end = bytes.firstIndex(of: UInt8(ascii: ";")) ?? bytes.count
        let essence = Self.small(bytes[..<end])
        isNamed = !essence.isEmpty
        reading = Self.reading(of: essence)
        isEvents = essence == "text/event-stream"
        isHTML = essence == "text/html" || essence == "application/xhtml+xml"
        isMarkup = isHTML || essence.hasSuffix("+xml") || essence.hasSuffix("/xml")
        isCode = Self.codeEnds.contains { essence.hasSuffix($0) }
        isWide = end < bytes.count && reading != .binary && Self.isWide(bytes)
    }

    private static func reading(of essence: String) -> Reading {
        switch essence {
        case "application/json", "text/event-stream", "application/graphql": .json
        case "application/x-www-form-urlencoded": .form
        case "text/csv", "text/tab-separated-values", "application/csv", "text/x-csv": .table
        case "application/javascript", "application/x-javascript", "application/ecmascript",
            "application/jwt", "application/jose", "application/yaml", "application/x-yaml", "application/toml",
            "application/sql", "application/x-sh", "application/http":
            .text
        default:
            if essence.hasPrefix("multipart/") {
                .multipart
            } else if jsonEnds.contains(where: { essence.hasSuffix($0) }) {
                .json
            } else if essence.hasPrefix("text/") || essence.hasSuffix("+xml") || essence.hasSuffix("/xml") {
                .text
            } else if binaryStarts.contains(where: { essence.hasPrefix($0) }) {
                .binary
            } else {
                .unknown
            }
        }
    }

    private static let jsonEnds = ["+json", "/json", "json-seq", "ndjson", "/jsonl", "-jsonlines", "/x-json", "/json5"]

    private static let binaryStarts = [
        "image/", "audio/", "video/", "font/", "application/font", "application/zip", "application/gzip",
        "application/pdf", "application/wasm", "application/grpc", "application/protobuf", "application/x-protobuf",
    ]

    private static let codeEnds = ["javascript", "ecmascript", "typescript", "/css", "/jsx", "/tsx"]

    private static func isWide(_ bytes: [UInt8]) -> Bool {
        guard let charset = parameters(of: bytes).first(where: { $0.name == "charset" })?.value else { return false }
        let name = small(charset[...])
        return ["utf-16", "utf-32", "utf16", "utf32", "ucs-2", "ucs-4", "iso-10646-ucs", "unicode"]
            .contains { name.hasPrefix($0) }
    }

    /// The boundary of a multipart body; empty when it is not named.
    package static func boundary(of bytes: [UInt8]) -> [UInt8] {
        parameters(of: bytes).first { $0.name == "boundary" }?.value ?? []
    }

    /// The parameters of a field's value, names in small letters, without quotes (RFC 9110 5.6.6).
    package static func parameters(of bytes: [UInt8]) -> [(name: String, value: [UInt8])] {
        var found: [(name: String, value: [UInt8])] = []
        var index = bytes.firstIndex(of: UInt8(ascii: ";")) ?? bytes.count
        while index < bytes.count {
            index += 1
            let start = index
            while index < bytes.count, bytes[index] != UInt8(ascii: "="), bytes[index] != UInt8(ascii: ";") {
                index += 1
            }
            guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else { continue }
            let name = small(bytes[start..<index])
            index += 1
            found.append((name, value(bytes, &index)))
        }
        return found
    }

    /// A token or a quoted string, up to the semicolon after it.
    private static func value(_ bytes: [UInt8], _ index: inout Int) -> [UInt8] {
        var value: [UInt8] = []
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else {
            let start = index
            index = bytes[start...].firstIndex(of: UInt8(ascii: ";")) ?? bytes.count
            return trimmed(bytes[start..<index])
        }
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count { index += 1 }
            value.append(bytes[index])
            index += 1
        }
        index = bytes[index...].firstIndex(of: UInt8(ascii: ";")) ?? bytes.count
        return value
    }

    private static func small(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: trimmed(bytes).map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let all = Array(bytes)
        return Array(all[all.withSpan { $0.trimmed(0..<all.count) }])
    }
}
