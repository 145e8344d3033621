/// Which paths a route is for.
struct PathPattern: Hashable, Sendable {
    enum Segment: Hashable, Sendable {
        case literal([UInt8])
        /// `*` between slashes: exactly one segment.
        case one
    }

    let segments: [Segment]
    /// Ends with `/*`: everything below, and the path itself with or without its last slash.
    let isOpen: Bool
    /// Ends with a slash that is meant.
    let endsWithSlash: Bool
    /// As it was written, in its normal form.
    let text: String

    /// All paths.
    static let all = PathPattern(segments: [], isOpen: true, endsWithSlash: false, text: "/*")

    private init(segments: [Segment], isOpen: Bool, endsWithSlash: Bool, text: String) {
        self.segments = segments
        self.isOpen = isOpen
        self.endsWithSlash = endsWithSlash
        self.text = text
    }

    init(reading written: String) throws(PatternError) {
        guard written.hasPrefix("/") else {
            throw PatternError("the path \"\(written)\" does not begin with a slash", "a path such as \"/v1/cart/*\"")
        }
        guard !written.contains("?"), !written.contains("#") else {
            throw PatternError(
                "the path \"\(written)\" has a query or fragment", "a path alone: queries are not matched")
        }
        let bytes = PathName.normalised(Array(written.utf8))
        var parts = bytes.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isOpen = parts.last.map { $0.elementsEqual("*".utf8) } ?? false
        if isOpen { parts.removeLast() }
        let endsWithSlash = !isOpen && (parts.last?.isEmpty ?? false)
        if endsWithSlash { parts.removeLast() }
        var segments: [Segment] = []
        for part in parts {
            if part.elementsEqual("*".utf8) {
                segments.append(.one)
            } else if part.contains(UInt8(ascii: "*")) {
                throw PatternError(
                    "the path \"\(written)\" has a `*` inside a segment",
                    "`*` as a whole segment, or `/*` at the end for everything below")
            } else {
                segments.append(.literal(Array(part)))
            }
        }
        self.init(
            segments: segments, isOpen: isOpen, endsWithSlash: endsWithSlash,
            text: String(decoding: bytes, as: UTF8.self))
    }

    /// Whether a path in its normal form is meant.
    func matches(_ path: Span<UInt8>) -> Bool { mismatch(path) == nil }

    /// The first segment, counted from 1, where a path parts from the pattern; nil when it does not.
    func mismatch(_ path: Span<UInt8>) -> Int? {
        var position = 0
        for (index, segment) in segments.enumerated() {
            guard position < path.count, path[position] == UInt8(ascii: "/") else { return index + 1 }
            position += 1
            switch segment {
            case .literal(let bytes):
                guard path.count - position >= bytes.count else { return index + 1 }
                for offset in 0..<bytes.count where path[position + offset] != bytes[offset] { return index + 1 }
                position += bytes.count
                if position < path.count, path[position] != UInt8(ascii: "/") { return index + 1 }
            case .one:
                let start = position
                while position < path.count, path[position] != UInt8(ascii: "/") { position += 1 }
                if position == start { return index + 1 }
            }
        }
        if isOpen { return nil }
        if endsWithSlash || segments.isEmpty {
            return position + 1 == path.count && path[position] == UInt8(ascii: "/") ? nil : segments.count + 1
        }
        return position == path.count ? nil : segments.count + 1
    }

    /// Whether this one is more specific than `other`, given that one path can match both.
    func isMoreSpecific(than other: PathPattern) -> Bool? {
        for index in 0..<max(segments.count, other.segments.count) + 1 {
            let (mine, theirs) = (rank(index), other.rank(index))
            if mine != theirs { return mine > theirs }
        }
        return nil
    }

    /// Literal, then any one segment, then the end, then everything below.
    private func rank(_ index: Int) -> Int {
        if index < segments.count {
            if case .literal = segments[index] { return 3 }
            return 2
        }
        return isOpen ? 0 : 1
    }
}

/// Paths in one form for comparing: unreserved escapes are the characters they stand for, others have capital digits,
/// dot segments are resolved (RFC 3986 6.2.2).
enum PathName {
    /// Whether a path may be in another form than the normal one.
    static func needsWork(_ path: Span<UInt8>) -> Bool {
        for index in 0..<path.count {
            let byte = path[index]
            if byte == UInt8(ascii: "%") || byte >= 0x80 { return true }
            // A dot matters at a segment's beginning only.
            if byte == UInt8(ascii: "."), index > 0, path[index - 1] == UInt8(ascii: "/") { return true }
        }
        return false
    }

    static func normalised(_ path: [UInt8]) -> [UInt8] {
        var segments: [[UInt8]] = []
        let parts = unescaped(path).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            if part.elementsEqual(".".utf8) {
                if isLast { segments.append([]) }
            } else if part.elementsEqual("..".utf8) {
                if segments.count > 1 { segments.removeLast() }
                if isLast { segments.append([]) }
            } else {
                segments.append(Array(part))
            }
        }
        return Array(segments.joined(separator: [UInt8(ascii: "/")]))
    }

    private static func unescaped(_ path: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < path.count {
            let byte = path[index]
            if byte == UInt8(ascii: "%"), index + 2 < path.count, let high = digit(path[index + 1]),
                let low = digit(path[index + 2])
            {
                let value = high << 4 | low
                if isUnreserved(value) { result.append(value) } else { append(escape: value, to: &result) }
                index += 3
            } else {
                if byte >= 0x80 || byte <= 0x20 { append(escape: byte, to: &result) } else { result.append(byte) }
                index += 1
            }
        }
        return result
    }

    private static func append(escape value: UInt8, to bytes: inout [UInt8]) {
        let digits = Array("0123456789ABCDEF".utf8)
        bytes += [UInt8(ascii: "%"), digits[Int(value >> 4)], digits[Int(value & 15)]]
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }

    /// RFC 3986 section 2.3.
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
            || "-._~".utf8.contains(byte)
    }
}
