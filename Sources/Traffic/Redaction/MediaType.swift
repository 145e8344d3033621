/// A Content-Type, as far as redaction depends on it (RFC 9110 8.3).
struct MediaType {
    /// Type and subtype in small letters; empty when there is none.
    private(set) var essence: String
    private(set) var charset = ""
    private(set) var boundary: [UInt8] = []

    init(_ text: String) {
        let bytes = Array(text.utf8)
        essence = Self.small(bytes[..<(bytes.firstIndex(of: UInt8(ascii: ";")) ?? bytes.count)])
        for (name, value) in Self.parameters(of: bytes) {
            switch name {
            case "charset": charset = Self.small(value[...])
            case "boundary": boundary = value
            default: break
            }
        }
    }

    /// What follows a field's value, each name in small letters, quotes taken off (RFC 9110 5.6.6).
    static func parameters(of bytes: [UInt8]) -> [(name: String, value: [UInt8])] {
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

    var isForm: Bool { essence == "application/x-www-form-urlencoded" }
    var isMultipart: Bool { essence.hasPrefix("multipart/") }

    var isJSON: Bool {
        essence.hasSuffix("+json") || essence.hasSuffix("/json") || essence.hasSuffix("json-seq")
            || essence.hasSuffix("ndjson") || essence.hasSuffix("/jsonl") || essence.hasSuffix("-jsonlines")
            || essence.hasSuffix("/x-json") || essence.hasSuffix("/json5") || essence == "text/event-stream"
    }

    var isText: Bool {
        essence.hasPrefix("text/") || essence.hasSuffix("+xml") || essence.hasSuffix("/xml")
            || ["javascript", "x-javascript", "ecmascript", "graphql", "jwt", "jose", "yaml", "x-yaml", "toml", "sql"]
                .contains { essence == "application/\($0)" }
    }

    /// Nothing is said of what it is.
    var isUnknown: Bool { essence.isEmpty || essence == "application/octet-stream" }

    /// A charset in which ASCII is not one byte each.
    var isWide: Bool {
        ["utf-16", "utf-32", "utf16", "utf32", "ucs-2", "ucs-4", "iso-10646-ucs", "unicode"]
            .contains { charset.hasPrefix($0) }
    }
}
