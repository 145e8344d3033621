import Bytes
import JSON

/// Reads XML 1.0 in UTF-8 into a tree, as strictly as files of apps and messages of APIs need it: no entities of their own, bounded in depth.
package struct XMLReader {
    private let bytes: [UInt8]
    private var at = 0
    private var line = 1

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    package static func read(_ bytes: [UInt8]) throws(XMLFailure) -> MarkupElement {
        var reader = XMLReader(bytes)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.at = 3 }
        guard !bytes.contains(0) else { throw XMLFailure("it is no UTF-8 text") }
        try reader.skipMisc()
        let root = try reader.element(depth: 0)
        try reader.skipMisc()
        guard reader.at == bytes.count else { throw reader.failure("something follows the root element") }
        return root
    }

    private func failure(_ message: String) -> XMLFailure { XMLFailure("line \(line): \(message)") }

    private func has(_ text: StaticString) -> Bool {
        guard bytes.count - at >= text.utf8CodeUnitCount else { return false }
        return (0..<text.utf8CodeUnitCount).allSatisfy { bytes[at + $0] == text.utf8Start[$0] }
    }

    private mutating func step(_ count: Int = 1) {
        for _ in 0..<count {
            if bytes[at] == UInt8(ascii: "\n") { line += 1 }
            at += 1
        }
    }

    /// Goes behind the next occurrence, and returns what is before it.
    private mutating func take(until end: StaticString) throws(XMLFailure) -> [UInt8] {
        let start = at
        while at < bytes.count {
            if has(end) {
                let found = Array(bytes[start..<at])
                step(end.utf8CodeUnitCount)
                return found
            }
            step()
        }
        throw failure("“\(end)” is missing")
    }

    private mutating func skipSpace() {
        while at < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[at]) { step() }
    }

    /// Declarations, comments and a document type without declarations of its own.
    private mutating func skipMisc() throws(XMLFailure) {
        while true {
            skipSpace()
            if has("<!--") {
                _ = try take(until: "-->")
            } else if has("<?") {
                _ = try take(until: "?>")
            } else if has("<!DOCTYPE") {
                guard try !take(until: ">").contains(UInt8(ascii: "[")) else {
                    throw failure("the document type has declarations of its own")
                }
            } else {
                return
            }
        }
    }

    private mutating func name() throws(XMLFailure) -> String {
        let start = at
        while at < bytes.count, !" \t\r\n=/><\"'".utf8.contains(bytes[at]) { at += 1 }
        guard at > start else { throw failure("a name is missing") }
        return String(decoding: bytes[start..<at], as: UTF8.self)
    }

    private mutating func element(depth: Int) throws(XMLFailure) -> MarkupElement {
        guard depth < NestingLimit.values else { throw failure("the elements are nested too deeply") }
        guard has("<") else { throw failure("an element is missing") }
        step()
        var element = MarkupElement(name: "", line: line)
        element.name = try name()
        while true {
            skipSpace()
            if has("/>") {
                step(2)
                return element
            }
            if has(">") {
                step()
                break
            }
            let attribute = try name()
            skipSpace()
            guard has("=") else { throw failure("= is missing behind \(attribute)") }
            step()
            skipSpace()
            let value: [UInt8]
            if has("\"") {
                step()
                value = try take(until: "\"")
            } else if has("'") {
                step()
                value = try take(until: "'")
            } else {
                throw failure("the value of \(attribute) is not in quotes")
            }
            guard element[attribute] == nil else { throw failure("\(attribute) is given twice") }
            element.attributes.append((attribute, try decoded(value)))
        }
        while true {
            if has("</") {
                step(2)
                guard try name() == element.name else { throw failure("\(element.name) is not closed") }
                skipSpace()
                guard has(">") else { throw failure("\(element.name) is not closed") }
                step()
                return element
            } else if has("<!--") {
                _ = try take(until: "-->")
            } else if has("<![CDATA[") {
                step(9)
                element.text += String(decoding: try take(until: "]]>"), as: UTF8.self)
            } else if has("<?") {
                _ = try take(until: "?>")
            } else if has("<") {
                element.children.append(try self.element(depth: depth + 1))
            } else {
                let start = at
                while at < bytes.count, bytes[at] != UInt8(ascii: "<") { step() }
                guard at < bytes.count else { throw failure("\(element.name) is not closed") }
                element.text += try decoded(Array(bytes[start..<at]))
            }
        }
    }

    private func decoded(_ raw: [UInt8]) throws(XMLFailure) -> String {
        guard raw.contains(UInt8(ascii: "&")) else { return String(decoding: raw, as: UTF8.self) }
        var text = ""
        for (index, part) in raw.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).enumerated() {
            guard index > 0 else {
                text += String(decoding: part, as: UTF8.self)
                continue
            }
            guard let end = part.firstIndex(of: UInt8(ascii: ";")) else { throw failure("an & has no end") }
            let name = String(decoding: part[part.startIndex..<end], as: UTF8.self)
            switch name {
            case "amp": text += "&"
            case "lt": text += "<"
            case "gt": text += ">"
            case "quot": text += "\""
            case "apos": text += "'"
            default:
                let isHex = name.hasPrefix("#x")
                guard name.hasPrefix("#"), let code = UInt32(name.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10),
                    let scalar = Unicode.Scalar(code)
                else { throw failure("there is no entity &\(name);") }
                text.unicodeScalars.append(scalar)
            }
            text += String(decoding: part[(end + 1)...], as: UTF8.self)
        }
        return text
    }
}
