/// A URI, or a reference to one, in its parts (RFC 3986).
struct URIReference: Hashable {
    var scheme: String?
    var authority: String?
    var path = ""
    var query: String?
    var fragment: String?

    init(_ text: String) {
        var rest = text[...]
        if let hash = rest.firstIndex(of: "#") {
            fragment = String(rest[rest.index(after: hash)...])
            rest = rest[..<hash]
        }
        if let mark = rest.firstIndex(of: "?") {
            query = String(rest[rest.index(after: mark)...])
            rest = rest[..<mark]
        }
        if let colon = rest.firstIndex(of: ":"), rest.first?.isLetter == true,
            rest[..<colon].utf8.allSatisfy({
                ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 || [0x2B, 0x2D, 0x2E].contains($0)
            })
        {
            scheme = rest[..<colon].lowercased()
            rest = rest[rest.index(after: colon)...]
        }
        if rest.hasPrefix("//") {
            let behind = rest.dropFirst(2)
            let end = behind.firstIndex(of: "/") ?? behind.endIndex
            authority = String(behind[..<end])
            rest = behind[end...]
        }
        path = String(rest)
    }

    /// What it means where the base is that (RFC 3986 section 5.2.2).
    func resolved(against base: URIReference) -> URIReference {
        var result = self
        guard scheme == nil else {
            result.path = Self.withoutDots(path)
            return result
        }
        result.scheme = base.scheme
        guard authority == nil else {
            result.path = Self.withoutDots(path)
            return result
        }
        result.authority = base.authority
        if path.isEmpty {
            result.path = base.path
            result.query = query ?? base.query
        } else if path.hasPrefix("/") {
            result.path = Self.withoutDots(path)
        } else {
            let folder = base.path.lastIndex(of: "/").map { base.path[...$0] } ?? (base.authority == nil ? "" : "/")
            result.path = Self.withoutDots(folder + path)
        }
        return result
    }

    private static func withoutDots(_ path: String) -> String {
        guard path.contains("/.") else { return path }
        var kept: [Substring] = []
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            switch part {
            case "..":
                if kept.count > 1 { kept.removeLast() }
                if isLast { kept.append("") }
            case ".": if isLast { kept.append("") }
            default: kept.append(part)
            }
        }
        return kept.joined(separator: "/")
    }

    var text: String { withoutFragment + (fragment.map { "#\($0)" } ?? "") }

    var withoutFragment: String {
        (scheme.map { "\($0):" } ?? "") + (authority.map { "//\($0)" } ?? "") + path + (query.map { "?\($0)" } ?? "")
    }

    // MARK: Files

    init(file path: String) {
        self.init("file://")
        self.path = path.utf8.map { byte in
            let isPlain =
                byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || Array("/-._~!$&'()*+,;=:@".utf8).contains(byte)
            return isPlain ? String(Unicode.Scalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    /// The path of a file; nil for anything else.
    var file: String? { scheme == "file" ? Self.decoded(path) : nil }

    static func decoded(_ text: String) -> String {
        guard text.utf8.contains(0x25) else { return text }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == 0x25, digits.utf8.count == 2, digits.first != "+", digits.first != "-",
                let value = UInt8(digits, radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
