import Bytes
import JSON
import Patterns
import Profiles

/// Finds method overrides in a request's body: `_method` in a form, or in an object of JSON.
package enum BodyOverride {
    package enum Finding: Equatable, Sendable {
        /// The methods that the body names; mostly none.
        case methods([String])
        /// The body cannot be read, for this reason.
        case unreadable(String)
    }

    /// Parameters of a form, or its parts, that are looked at; servers read fewer.
    private static let maxParameters = 10_000
    /// Bytes of the fields of a part.
    private static let maxPartHead = 16 << 10
    /// Bytes of a Content-Type field.
    private static let maxType = 1024

    /// Whether servers look for parameters in the body of a type, which is in small letters.
    ///
    /// Some servers read a body without a type as a form, and plain text as JSON: pages send that without a preflight.
    package static func isRead(_ contentType: String) -> Bool {
        contentType.isEmpty || contentType.utf8.count > maxType || contentType.contains("form")
            || contentType.contains("multipart")
            || contentType.contains("json") || contentType.hasPrefix("text/plain")
    }

    /// Takes time in proportion to the body, whatever it holds.
    package static func find(in body: [UInt8], contentType: String) -> Finding {
        guard contentType.utf8.count <= maxType else { return .unreadable("content with a type of more than 1 KiB") }
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
        let isForm = !contentType.hasPrefix("text/plain")
        guard let methods = isForm ? MethodOverride.methods(inParameters: body, limit: maxParameters) : [] else {
            return .unreadable("a form of more than \(maxParameters) parameters")
        }
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
        var methods: [String] = []
        do throws(JSONFailure) {
            try JSONReader.eachMember(of: body) { key, value in
                methods += MethodOverride.methods(named: Array(key.utf8), value: (value ?? "").utf8)
            }
        } catch {
            // Lines of JSON, say: harmless where no member can have the name, however it is spelled.
            let isSuspect = suspects.contains { $0.first(in: body) != nil }
            return isSuspect ? .unreadable("a body that is no valid JSON") : .methods([])
        }
        return .methods(methods)
    }

    private static let suspects = ["method", "verb", "\\u"].map { LiteralSearch(Array($0.utf8)) }
}

extension BodyOverride {
    /// Examines all bytes that any reader could take for a part: those behind each boundary.
    private static func find(inParts body: [UInt8], _ boundary: [UInt8]) -> Finding {
        // The type, and with it the boundary, is in small letters; the body may have any case.
        let delimiter = LiteralSearch(Array("--".utf8) + boundary)
        var methods: [String] = []
        guard var found = delimiter.first(in: body) else {
            return body.isEmpty ? .methods([]) : .unreadable("a form without its boundary")
        }
        for _ in 0..<maxParameters {
            let next = delimiter.first(in: body, from: found.upperBound)
            let part = body[found.upperBound..<(next?.lowerBound ?? body.count)]
            let end = endOfHead(part)
            let head = part[..<end]
            guard head.count <= maxPartHead else {
                return .unreadable("a form with a part whose fields take over 16 KiB")
            }
            // Encoded words (RFC 2047) stand for a name in some libraries.
            if encodedWord.first(in: Array(head)) != nil { return .unreadable("a form with encoded names") }
            // The value is read once for all names of the part.
            if let demand = words(of: head).lazy.compactMap({ MethodOverride.demand(of: $0) }).max() {
                methods += MethodOverride.methods(in: part[end...], demand)
            }
            guard let next else { return .methods(methods) }
            found = next
        }
        return .unreadable("a form of more than \(maxParameters) parts")
    }

    private static let encodedWord = LiteralSearch(Array("=?".utf8))

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
    private static func words(of head: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        let ends = Array("\"'=; \t\r\n:".utf8)
        let text = FormCoding.decoded(head.filter { $0 != UInt8(ascii: "\\") })
        return text.split { ends.contains($0) }
    }
}
