import Bytes
import JSON

/// Replaces the values of secret parameters in a form (URL Standard, 5.1) or behind a URL's authority.
///
/// Parameters of a URL that stands, escaped once or several times, in another parameter's value are found as well.
struct ParameterRedaction {
    private enum Mode {
        case name
        case value
        case secret
        /// JSON, behind its first bracket.
        case json
    }

    private static let longestName = 512
    private static let longestJSON = 65_536

    private let core: RedactionCore
    private let isURL: Bool
    private var scanner: CredentialScanner
    private var mode = Mode.name
    /// How often the separator that began the parameter was escaped; one that was escaped as often ends it.
    private var level = 0
    private var isInPath: Bool
    /// The name so far without its escapes; nil when it is too long.
    private var name: [UInt8]? = []
    private var secret: SecretValue?
    /// The value as it is written, where only its looks say whether it is a secret.
    private var doubtful: [UInt8]?
    /// Whether the value's first byte is still to come.
    private var isValueStart = false
    /// JSON as it was written, and how often it was escaped.
    private var json: [UInt8] = []
    private var jsonLevel = 0
    /// An escape that has begun.
    private var escape: [UInt8] = []

    init(core: RedactionCore, isURL: Bool) {
        (self.core, self.isURL, isInPath) = (core, isURL, isURL)
        scanner = CredentialScanner(core: core, encoding: .form)
        // All of a form may be escaped JSON.
        isValueStart = !isURL
    }

    mutating func redact(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout [UInt8]) {
        /// The beginning of the bytes to be written unchanged.
        var kept = range.lowerBound
        var index = range.lowerBound
        while index < range.upperBound {
            if mode == .json {
                scanner.scan(bytes, kept..<index, into: &out)
                index = readJSON(bytes, index..<range.upperBound, into: &out)
                kept = index
                continue
            }
            if mode == .secret {
                index = readSecret(bytes, index..<range.upperBound, into: &out)
                kept = index
                continue
            }
            if escape.isEmpty, !isValueStart {
                let rest = index..<range.upperBound
                index = mode == .name ? passName(bytes, rest) : passValue(bytes, rest)
                if index == range.upperBound { break }
            }
            if step(bytes[index]) { index += 1 }
            if mode == .secret {
                scanner.scan(bytes, kept..<index, into: &out)
                scanner.finish(into: &out)
                kept = index
            }
        }
        if mode == .json, kept == range.upperBound { return }
        if mode != .secret { scanner.scan(bytes, kept..<range.upperBound, into: &out) }
    }

    /// Ends the text; a value that was cut is replaced.
    mutating func finish(into out: inout [UInt8]) {
        endValue(into: &out)
        scanner.finish(into: &out)
        isValueStart = false
        (mode, level, isInPath, name) = (.name, 0, isURL, [])
        escape.removeAll()
    }

    /// The run of a value's bytes up to a separator, or to an escape that may be one or is cut.
    private func passValue(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        var index = range.lowerBound
        while index < range.upperBound {
            switch bytes[index] {
            case UInt8(ascii: "&"), UInt8(ascii: ";"): return index
            case 0x0A:
                if !isURL { return index }
                index &+= 1
            case UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "/"):
                if isURL { return index }
                index &+= 1
            case UInt8(ascii: "%"):
                guard index &+ 3 <= range.upperBound, ByteSearch.hexDigit(bytes[index &+ 1]) != nil,
                    ByteSearch.hexDigit(bytes[index &+ 2]) != nil
                else { return index }
                // %23, %26 and %3F are separators.
                if bytes[index &+ 1] == 0x32 || bytes[index &+ 1] == 0x33 { return index }
                index &+= 3
            default: index &+= 1
            }
        }
        return index
    }

    /// Reads the run of a name's ordinary bytes.
    private mutating func passName(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        var index = range.lowerBound
        search: while index < range.upperBound {
            switch bytes[index] {
            case UInt8(ascii: "&"), UInt8(ascii: ";"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "/"),
                UInt8(ascii: "="), UInt8(ascii: "%"):
                break search
            default: index &+= 1
            }
        }
        if let count = name?.count {
            if count + (index - range.lowerBound) > Self.longestName {
                name = nil
            } else {
                name?.append(bytes, range.lowerBound..<index)
            }
        }
        return index
    }

    /// Reads a byte; false if it only ended an escape in front of it, and is to be read again.
    private mutating func step(_ byte: UInt8) -> Bool {
        guard byte == UInt8(ascii: "%") || !escape.isEmpty else {
            plain(byte)
            return true
        }
        switch Self.extend(&escape, with: byte, atMost: NestingLimit.bodies) {
        case .incomplete: return true
        case .byte(let decoded, let level):
            escaped(decoded, level)
            return true
        case .ended(let unit, let raw):
            if let unit { escaped(unit.byte, unit.level) }
            for byte in raw { extendName(byte) }
            return false
        }
    }

    private mutating func plain(_ byte: UInt8) {
        if isValueStart, beginsJSON(byte, 0) { return }
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: ";"): beginName(0)
        case 0x0A where !isURL: beginName(0)
        case UInt8(ascii: "?") where isURL, UInt8(ascii: "#") where isURL:
            isInPath = false
            beginName(0)
        case UInt8(ascii: "/") where isURL && (isInPath || mode == .name): beginName(0)
        case UInt8(ascii: "=") where mode == .name:
            level = 0
            judge()
        default: extendName(byte)
        }
    }

    private mutating func escaped(_ byte: UInt8, _ level: Int) {
        if isValueStart, beginsJSON(byte, level) { return }
        switch byte {
        case UInt8(ascii: "?"), UInt8(ascii: "&"), UInt8(ascii: "#"): beginName(level)
        case UInt8(ascii: "=") where mode == .name && level <= self.level:
            self.level = level
            judge()
        default: extendName(byte)
        }
    }

    private mutating func beginName(_ level: Int) {
        mode = .name
        self.level = level
        if name == nil { name = [] } else { name?.removeAll(keepingCapacity: true) }
    }

    private mutating func extendName(_ byte: UInt8) {
        guard mode == .name, let count = name?.count else { return }
        if count < Self.longestName { name?.append(byte) } else { name = nil }
    }

    private mutating func judge() {
        mode = .value
        isValueStart = true
        guard var name else { return }
        // Some servers unescape once more than they should.
        while let plainer = Self.unescaped(name) { name = plainer }
        let isDoubtful = core.names.isDoubtful(name)
        guard isDoubtful || core.names.contains(name, in: .parameter) else { return }
        isValueStart = false
        doubtful = isDoubtful ? [] : nil
        mode = .secret
        secret = SecretValue(name: name, core: core)
    }

    /// The name without its remaining escapes; nil if there are none.
    private static func unescaped(_ name: [UInt8]) -> [UInt8]? {
        guard name.contains(UInt8(ascii: "%")) else { return nil }
        var plain: [UInt8] = []
        var index = 0
        while index < name.count {
            if name[index] == UInt8(ascii: "%"), index + 2 < name.count,
                let high = ByteSearch.hexDigit(name[index + 1]),
                let low = ByteSearch.hexDigit(name[index + 2])
            {
                plain.append(high << 4 | low)
                index += 3
            } else {
                plain.append(name[index])
                index += 1
            }
        }
        return plain.count < name.count ? plain : nil
    }

    /// Whether the first byte of a value begins JSON.
    private mutating func beginsJSON(_ byte: UInt8, _ level: Int) -> Bool {
        isValueStart = ByteSearch.isSpace(byte) || byte == UInt8(ascii: "+")
        guard byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") && mode == .value else { return isValueStart }
        (mode, jsonLevel) = (.json, level)
        return true
    }

    private mutating func readJSON(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout [UInt8]) -> Int {
        for index in range {
            let byte = bytes[index]
            if byte == UInt8(ascii: "&") || byte == UInt8(ascii: "#") && isURL {
                endJSON(into: &out)
                mode = .value
                return index
            }
            json.append(byte)
            guard json.count > Self.longestJSON else { continue }
            // Too long to be held back: all of it is replaced.
            (mode, secret) = (.secret, SecretValue(name: Array("json".utf8), core: core))
            scanner.finish(into: &out)
            secret?.append(json)
            json = []
            return index + 1
        }
        return range.upperBound
    }

    /// Writes JSON without its secrets, or unchanged if it has none.
    private mutating func endJSON(into out: inout [UInt8]) {
        var text = CredentialLook.plain(json.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 })
        for _ in 1..<max(1, jsonLevel) { text = CredentialLook.plain(text) }
        var (redacted, pairs) = ([UInt8](), PairRedaction(core: core))
        text.withSpan { pairs.redact($0, into: &redacted) }
        pairs.finish(into: &redacted)
        if redacted == text {
            json.withSpan { scanner.scan($0, 0..<json.count, into: &out) }
        } else {
            scanner.finish(into: &out)
            for byte in redacted { Self.write(byte, jsonLevel, into: &out) }
        }
        json = []
    }

    /// A byte as parameters have it.
    private static func write(_ byte: UInt8, _ level: Int, into out: inout [UInt8]) {
        if ByteSearch.isAlphanumeric(byte) || "-._~:,".utf8.contains(byte) { return out.append(byte) }
        out += raw(byte, level)
    }

    /// Reads on in a secret; returns the place behind it.
    private mutating func readSecret(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout [UInt8]) -> Int {
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = bytes[index]
            if byte == UInt8(ascii: "%") || !escape.isEmpty {
                // The value's own escapes are escaped once more than the separators around it.
                switch Self.extend(&escape, with: byte, atMost: level + 1) {
                case .incomplete: doubtful?.append(byte)
                case .byte(let decoded, let level):
                    if level <= self.level, decoded == UInt8(ascii: "&") || decoded == UInt8(ascii: "#") {
                        doubtful?.removeLast(2 * level)
                        endValue(into: &out)
                        Self.write(decoded, level, into: &out)
                        beginName(level)
                        return index + 1
                    }
                    secret?.append(decoded)
                    doubtful?.append(byte)
                case .ended(let unit, let raw):
                    if let unit { secret?.append(unit.byte) }
                    secret?.append(raw)
                    continue
                }
                index += 1
                continue
            }
            if endsSecret(byte) || doubtful?.count ?? 0 > ValueLook.longest {
                endSecret(into: &out)
                return index
            }
            secret?.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
            doubtful?.append(byte)
            index += 1
        }
        return range.upperBound
    }

    private func endsSecret(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"): true
        case UInt8(ascii: "#"): isURL
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: ";"): isInPath
        default: false
        }
    }

    /// Ends the value, and what turned out to stand in it.
    private mutating func endValue(into out: inout [UInt8]) {
        while mode == .secret { endSecret(into: &out) }
        if mode == .json { endJSON(into: &out) }
    }

    private mutating func endSecret(into out: inout [UInt8]) {
        secret?.append(escape)
        escape.removeAll()
        mode = .value
        let value = secret
        secret = nil
        if let raw = doubtful, let value, value.isLong || !ValueLook.isLikely(value.text.span) {
            doubtful = nil
            raw.withSpan { redact($0, 0..<raw.count, into: &out) }
            return
        }
        doubtful = nil
        if var value { value.finish(.escaped, into: &out) }
    }

    private enum Escape {
        case incomplete
        /// A byte, and how often it was escaped.
        case byte(UInt8, level: Int)
        /// The byte that was read is none of an escape; what stood before it is a byte, text, or both.
        case ended((byte: UInt8, level: Int)?, [UInt8])
    }

    private static func raw(_ byte: UInt8, _ level: Int) -> [UInt8] {
        var raw: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        raw.append(UInt8(ascii: "%"))
        for _ in 1..<max(1, level) { raw += "25".utf8 }
        return raw + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    /// Reads an escape, which may be escaped itself (`%2526`).
    private static func extend(_ escape: inout [UInt8], with byte: UInt8, atMost deepest: Int) -> Escape {
        let level = (escape.count - 1) / 2
        if escape.isEmpty || ByteSearch.hexDigit(byte) != nil {
            escape.append(byte)
            guard escape.count > 1, escape.count % 2 == 1 else { return .incomplete }
            let (high, low) = (escape[escape.count - 2], byte)
            // A percent sign may begin the next escape.
            if high == 0x32, low == 0x35, level + 1 < deepest { return .incomplete }
            defer { escape.removeAll(keepingCapacity: true) }
            let value = (ByteSearch.hexDigit(high) ?? 0) &<< 4 | (ByteSearch.hexDigit(low) ?? 0)
            return .byte(value, level: level + 1)
        }
        defer { escape.removeAll(keepingCapacity: true) }
        guard level > 0 else { return .ended(nil, escape) }
        return .ended((UInt8(ascii: "%"), level), Array(escape[(1 + 2 * level)...]))
    }
}
