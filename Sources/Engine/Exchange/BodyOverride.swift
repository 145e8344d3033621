import Bytes
import JSON
import Profiles

/// Finds method overrides in a request's body: `_method` in a form, or in an object of JSON.
package enum BodyOverride {
    package enum Finding: Equatable {
        /// The methods that the body names; mostly none.
        case methods([String])
        /// The body cannot be read, for this reason.
        case unreadable(String)
    }

    /// Whether servers look for parameters in the body of a type, which is in small letters.
    ///
    /// Some servers read a body without a type as a form, and plain text as JSON: pages send that without a preflight.
    package static func isRead(_ contentType: String) -> Bool {
        contentType.isEmpty || contentType.contains("form") || contentType.contains("multipart")
            || contentType.contains("json") || contentType.hasPrefix("text/plain")
    }

    package static func find(in body: [UInt8], contentType: String) -> Finding {
        guard charsets(contentType).allSatisfy({ ["utf-8", "us-ascii", "iso-8859-1"].contains($0) }) else {
            return .unreadable("content of type \"\(contentType.prefix(80))\"")
        }
        // Bytes of another encoding: some readers of JSON find out which by themselves.
        let isOther = body.starts(with: [0xFE, 0xFF]) || body.starts(with: [0xFF, 0xFE])
        if isOther || !contentType.contains("multipart") && body.contains(0) {
            return .unreadable("content in another encoding than UTF-8")
        }
        let body = body.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(body.dropFirst(3)) : body
        if contentType.contains("multipart") {
            guard let boundary = boundary(of: contentType) else {
                return .unreadable("a form of type \"\(contentType.prefix(80))\"")
            }
            return find(inParts: body, boundary)
        }
        if contentType.contains("json") { return find(inJSON: body) }
        let methods = contentType.hasPrefix("text/plain") ? [] : MethodOverride.methods(inParameters: body)
        guard body.contains(UInt8(ascii: "{")) else { return .methods(methods) }
        switch find(inJSON: body) {
        case .methods(let more): return .methods(methods + more)
        case .unreadable(let what): return .unreadable(what)
        }
    }

    private static func parameters(_ contentType: String) -> [(name: Substring, value: Substring)] {
        contentType.split(separator: ";").dropFirst().map { parameter in
            let text = parameter.drop { $0 == " " || $0 == "\t" }
            let equals = text.firstIndex(of: "=") ?? text.endIndex
            return (text[..<equals], text[equals...].dropFirst())
        }
    }

    private static func charsets(_ contentType: String) -> [String] {
        parameters(contentType).filter { $0.name.contains("charset") }
            .map { $0.value.filter { $0 != "\"" && $0 != " " } }
    }

    /// nil if readers could differ on it.
    private static func boundary(of contentType: String) -> [UInt8]? {
        let found = parameters(contentType).filter { $0.name.contains("boundary") }
        guard found.count == 1, found[0].name == "boundary" else { return nil }
        var text = found[0].value
        if text.count > 1, text.hasPrefix("\""), text.hasSuffix("\"") { text = text.dropFirst().dropLast() }
        guard !text.isEmpty, text.allSatisfy({ $0.isASCII && !" \t\",\\".contains($0) }) else { return nil }
        return Array(text.utf8)
    }

    private static func find(inJSON body: [UInt8]) -> Finding {
        if body.isEmpty { return .methods([]) }
        guard let value = try? JSONReader.read(body, dialect: .strict) else {
            // Lines of JSON, say: harmless where no member can have the name, however it is spelled.
            let text = String(decoding: body, as: UTF8.self).lowercased()
            let isSuspect = ["method", "verb", "\\u"].contains { text.contains($0) }
            return isSuspect ? .unreadable("a body that is no valid JSON") : .methods([])
        }
        return .methods(
            (value.object ?? []).flatMap { member in
                MethodOverride.methods(
                    named: Array(member.key.utf8), value: Array((member.value.string ?? "").utf8))
            })
    }
}

extension BodyOverride {
    /// Examines all bytes that any reader could take for a part: those behind each boundary.
    private static func find(inParts body: [UInt8], _ boundary: [UInt8]) -> Finding {
        var methods: [String] = []
        let parts = split(body, at: [UInt8(ascii: "-"), UInt8(ascii: "-")] + boundary).dropFirst()
        if parts.isEmpty, !body.isEmpty { return .unreadable("a form without its boundary") }
        for part in parts {
            let end = endOfHead(part)
            let head = part[..<end]
            // Encoded words (RFC 2047) stand for a name in some libraries.
            if head.contains(UInt8(ascii: "=")), contains(head, "=?") {
                return .unreadable("a form with encoded names")
            }
            for name in words(of: head) {
                methods += MethodOverride.methods(named: name, value: Array(part[end...]))
            }
        }
        return .methods(methods)
    }

    private static func contains(_ bytes: ArraySlice<UInt8>, _ text: StaticString) -> Bool {
        bytes.indices.contains { at in bytes[at...].starts(with: text.withUTF8Buffer { Array($0) }) }
    }

    /// - Parameter delimiter: in small letters, as the type that it comes from; the body may have any case.
    private static func split(_ body: [UInt8], at delimiter: [UInt8]) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var start = 0
        var at = 0
        while at + delimiter.count <= body.count {
            let isDelimiter =
                body[at] == delimiter[0]
                && body[at..<at + delimiter.count].elementsEqual(delimiter) { ByteSearch.lowercased($0) == $1 }
            if isDelimiter {
                parts.append(body[start..<at])
                at += delimiter.count
                start = at
            } else {
                at += 1
            }
        }
        return parts + [body[start...]]
    }

    /// Where an empty line ends the fields of a part, in any of the spellings of a line's end.
    private static func endOfHead(_ part: ArraySlice<UInt8>) -> Int {
        var isEmptyLine = false
        var at = part.startIndex
        // The rest of the boundary's own line is no field.
        while at < part.endIndex, part[at] != 0x0A, part[at] != 0x0D { at += 1 }
        while at < part.endIndex {
            let byte = part[at]
            let isPair = byte == 0x0D && at + 1 < part.endIndex && part[at + 1] == 0x0A
            at += isPair ? 2 : 1
            guard byte == 0x0A || byte == 0x0D else {
                isEmptyLine = false
                continue
            }
            if isEmptyLine { return at }
            isEmptyLine = true
        }
        return part.endIndex
    }

    /// The words of a part's fields, of which one is its name: without quotes and with escapes undone.
    private static func words(of head: ArraySlice<UInt8>) -> [[UInt8]] {
        let ends = Array("\"'=; \t\r\n:".utf8)
        let text = FormCoding.decoded(head.filter { $0 != UInt8(ascii: "\\") })
        return text.split { ends.contains($0) }.map { Array($0) }
    }
}
