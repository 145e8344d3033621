import Bytes

/// Which paths a route is for, compared in the spelling of ``PathBytes``.
package struct PathPattern: Sendable, CustomStringConvertible {
    /// Stands in ``bytes`` for an inner `*` or `{name}`; no normal path contains it.
    static let star: UInt8 = 0

    /// The pattern without a trailing `/*`.
    package let bytes: [UInt8]
    /// Whether it ended in `/*`: then everything below matches, and the path itself with and without a `/` at its end.
    package let isPrefix: Bool
    /// The names of `{name}` by segment, empty where none has a name; they make no difference to what matches.
    package let names: [String?]

    static let any = PathPattern(bytes: [], isPrefix: true, names: [])
    private static let forms = "`/v1/cart`, `/v1/cart/*` for all below it, or `*` as one whole segment"

    private init(bytes: [UInt8], isPrefix: Bool, names: [String?]) {
        (self.bytes, self.isPrefix, self.names) = (bytes, isPrefix, names)
    }

    init(parsing text: String) throws(Refusal) {
        guard text.hasPrefix("/") else {
            let hint = text.contains("://") ? "the host has a key of its own" : "write \"/\(text)\""
            throw Refusal(message: "the path \"\(text)\" does not start with `/`", expected: Self.forms, hint: hint)
        }
        let whole = Array(text.utf8)
        let hasStar = whole.suffix(2).elementsEqual("/*".utf8)
        let front = hasStar ? Array(whole.dropLast(2)) : whole
        // Nearly all paths are in their normal form already: taking them apart was 9 % of a start with 10,000 mocks.
        if !front.contains(UInt8(ascii: "*")), PathBytes.isNormal(front.span) {
            (bytes, isPrefix, names) = (front, hasStar, [])
            return
        }
        if let mark = text.first(where: { $0 == "?" || $0 == "#" }) {
            throw Refusal(
                message: "the path \"\(text)\" contains `\(mark)`", expected: Self.forms,
                hint: "routes go by the path alone, without its query")
        }
        let named = text.utf8.contains(UInt8(ascii: "{")) ? text.dropFirst() : ""
        let names = named.split(separator: "/", omittingEmptySubsequences: false).map(Self.name)
        self.names = names.contains { $0 != nil } ? names : []
        let given = names.compactMap(\.self)
        if let twice = given.first(where: { name in given.count { $0 == name } > 1 }) {
            throw Refusal(
                message: "the path \"\(text)\" has {\(twice)} twice", expected: "a name of its own for each segment")
        }
        var segments = try text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
            .map { segment throws(Refusal) in try Self.segment(segment, of: text) }
        isPrefix = text.hasSuffix("/*")
        if isPrefix { segments.removeLast() }
        bytes = segments.flatMap { [UInt8(ascii: "/")] + $0 }
    }

    /// What `{name}` calls a segment; nil for any other spelling.
    private static func name(_ segment: Substring) -> String? {
        let inner = segment.dropFirst().dropLast()
        guard segment.first == "{", segment.last == "}", let first = inner.utf8.first, !(0x30...0x39).contains(first),
            inner.utf8.allSatisfy({ PathBytes.isUnreserved($0) && $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "~") })
        else { return nil }
        return String(inner)
    }

    private static func segment(_ segment: Substring, of text: String) throws(Refusal) -> [UInt8] {
        if segment == "*" || name(segment) != nil { return [star] }
        if segment.contains("*") { throw Refusal(message: "`*` within a segment of \"\(text)\"", expected: forms) }
        let raw = Array(segment.utf8)
        for (at, byte) in raw.enumerated() where byte == UInt8(ascii: "%") {
            guard at + 2 < raw.count, ByteSearch.hexDigit(raw[at + 1]) != nil, ByteSearch.hexDigit(raw[at + 2]) != nil
            else {
                throw Refusal(
                    message: "a `%` in \"\(text)\" without two hexadecimal digits", expected: "an escape like %20",
                    hint: "the sign itself is written %25")
            }
        }
        let normal = PathBytes.normalized(raw)
        if normal == Array(".".utf8) || normal == Array("..".utf8) {
            throw Refusal(
                message: "the path \"\(text)\" has a `\(String(decoding: normal, as: UTF8.self))` segment",
                expected: "a resolved path", hint: "requests are resolved before they are compared")
        }
        return normal
    }

    package var description: String {
        guard !names.isEmpty else {
            let shown = bytes.contains(Self.star) ? bytes.map { $0 == Self.star ? UInt8(ascii: "*") : $0 } : bytes
            return String(decoding: shown, as: UTF8.self) + (isPrefix ? "/*" : "")
        }
        let spelled = zip(segments, names).map { segment, name in
            name.map { "/{\($0)}" }
                ?? "/" + (segment.elementsEqual([Self.star]) ? "*" : String(decoding: segment, as: UTF8.self))
        }
        return spelled.joined() + (isPrefix ? "/*" : "")
    }

    var segments: [ArraySlice<UInt8>] {
        bytes.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    }

    /// One number per segment and one for the end, compared left to right: larger is more specific.
    var rank: [UInt8] {
        var rank: [UInt8] = []
        rank.reserveCapacity(8)
        for at in bytes.indices where bytes[at] == UInt8(ascii: "/") {
            let isStar = at + 1 < bytes.count && bytes[at + 1] == Self.star
            rank.append(isStar ? 2 : 3)
        }
        rank.append(isPrefix ? 0 : 1)
        return rank
    }

    /// The same with everything below.
    var withAllBelow: PathPattern {
        PathPattern(
            bytes: bytes.last == UInt8(ascii: "/") ? Array(bytes.dropLast()) : bytes, isPrefix: true, names: names)
    }

    /// The segments in front of the first `*`.
    var literalBeginning: [UInt8] {
        guard let star = bytes.firstIndex(of: Self.star) else { return bytes }
        // The slash in front of it begins its segment.
        return Array(bytes[..<(star - 1)])
    }

    /// Whether the path of a request fits.
    package func isFor(_ path: [UInt8]) -> Bool { matches(PathBytes.normalized(path)) }

    func matches(_ path: [UInt8]) -> Bool {
        covers(ContiguousArray(path).span, pattern: ContiguousArray(bytes).span, isPrefix: isPrefix)
    }
}

extension PathPattern: Hashable {
    package static func == (left: PathPattern, right: PathPattern) -> Bool {
        left.isPrefix == right.isPrefix && left.bytes == right.bytes
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(isPrefix)
        hasher.combine(bytes)
    }
}

/// Whether a normal path fits a pattern's bytes.
@inline(__always)
func covers(_ path: Span<UInt8>, pattern: Span<UInt8>, isPrefix: Bool) -> Bool {
    if isPrefix, pattern.isEmpty { return true }
    var at = 0
    for index in pattern.indices {
        let byte = pattern[index]
        if byte == PathPattern.star {
            let start = at
            while at < path.count, path[at] != UInt8(ascii: "/") { at += 1 }
            if at == start { return false }
        } else {
            guard at < path.count, path[at] == byte else { return false }
            at += 1
        }
    }
    return at == path.count || (isPrefix && path[at] == UInt8(ascii: "/"))
}
