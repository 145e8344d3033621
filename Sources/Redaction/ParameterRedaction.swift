import Bytes

/// Replaces the values of secret parameters in a form (URL Standard, 5.1) or behind a URL's authority.
///
/// Parameters of a URL that stands, escaped once, in another parameter's value are found as well.
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
    /// Whether an escaped separator began the parameter; then an escaped one ends it, too.
    private var isInner = false
    private var isInPath: Bool
    /// The name so far without its escapes; nil when it is too long.
    private var name: [UInt8]? = []
    private var secret: SecretValue?
    /// Whether the value's first byte is still to come.
    private var isValueStart = false
    /// JSON as it was written.
    private var json: [UInt8] = []
    /// An escape that has begun.
    private var escape: [UInt8] = []

    init(core: RedactionCore, isURL: Bool) {
        (self.core, self.isURL, isInPath) = (core, isURL, isURL)
        scanner = CredentialScanner(core: core, encoding: .form)
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
            step(bytes[index])
            index += 1
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
        if mode == .secret { endSecret(into: &out) }
        if mode == .json { endJSON(into: &out) }
        scanner.finish(into: &out)
        isValueStart = false
        (mode, isInner, isInPath, name) = (.name, false, isURL, [])
        escape.removeAll()
    }

    /// The run of a value's bytes up to a separator, or to an escape that may be one or is cut.
    private func passValue(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        var index = range.lowerBound
        while index < range.upperBound {
            switch bytes[index] {
            case UInt8(ascii: "&"), UInt8(ascii: ";"): return index
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

    private mutating func step(_ byte: UInt8) {
        guard byte == UInt8(ascii: "%") || !escape.isEmpty else { return plain(byte) }
        switch Self.extend(&escape, with: byte) {
        case .incomplete: return
        case .byte(let decoded): escaped(decoded)
        case .none(let raw):
            name?.append(contentsOf: raw)
            step(byte)
        }
    }

    private mutating func plain(_ byte: UInt8) {
        if isValueStart, beginsJSON(byte) { return }
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: ";"): beginName(isInner: false)
        case UInt8(ascii: "?") where isURL, UInt8(ascii: "#") where isURL:
            isInPath = false
            beginName(isInner: false)
        case UInt8(ascii: "/") where isURL && (isInPath || mode == .name): beginName(isInner: false)
        case UInt8(ascii: "=") where mode == .name:
            isInner = false
            judge()
        default: extendName(byte)
        }
    }

    private mutating func escaped(_ byte: UInt8) {
        if isValueStart, beginsJSON(byte) { return }
        switch byte {
        case UInt8(ascii: "?"), UInt8(ascii: "&"), UInt8(ascii: "#"): beginName(isInner: true)
        case UInt8(ascii: "=") where mode == .name && isInner: judge()
        default: extendName(byte)
        }
    }

    private mutating func beginName(isInner: Bool) {
        mode = .name
        self.isInner = isInner
        if name == nil { name = [] } else { name?.removeAll(keepingCapacity: true) }
    }

    private mutating func extendName(_ byte: UInt8) {
        guard mode == .name, let count = name?.count else { return }
        if count < Self.longestName { name?.append(byte) } else { name = nil }
    }

    private mutating func judge() {
        mode = .value
        isValueStart = !isInner
        guard var name else { return }
        // Some servers unescape once more than they should.
        while let plainer = Self.unescaped(name) { name = plainer }
        guard core.names.contains(name, in: .parameter) else { return }
        isValueStart = false
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
    private mutating func beginsJSON(_ byte: UInt8) -> Bool {
        isValueStart = ByteSearch.isSpace(byte) || byte == UInt8(ascii: "+")
        guard byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") else { return isValueStart }
        mode = .json
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
        let text = CredentialLook.plain(json.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 })
        var (redacted, pairs) = ([UInt8](), PairRedaction(core: core))
        text.withSpan { pairs.redact($0, into: &redacted) }
        pairs.finish(into: &redacted)
        if redacted == text {
            json.withSpan { scanner.scan($0, 0..<json.count, into: &out) }
        } else {
            scanner.finish(into: &out)
            for byte in redacted { Self.write(byte, into: &out) }
        }
        json = []
    }

    /// A byte as parameters have it.
    private static func write(_ byte: UInt8, into out: inout [UInt8]) {
        if ByteSearch.isAlphanumeric(byte) || "-._~:,".utf8.contains(byte) { return out.append(byte) }
        let digits = Array("0123456789ABCDEF".utf8)
        out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    /// Reads on in a secret; returns the place behind it.
    private mutating func readSecret(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout [UInt8]) -> Int {
        for index in range {
            let byte = bytes[index]
            if byte == UInt8(ascii: "%") || !escape.isEmpty {
                switch Self.extend(&escape, with: byte) {
                case .incomplete: continue
                case .byte(let decoded):
                    guard isInner, decoded == UInt8(ascii: "&") || decoded == UInt8(ascii: "#") else {
                        secret?.append(decoded)
                        continue
                    }
                    endSecret(into: &out)
                    out.append(contentsOf: decoded == UInt8(ascii: "&") ? "%26".utf8 : "%23".utf8)
                    beginName(isInner: true)
                    return index + 1
                case .none(let raw):
                    secret?.append(raw)
                    if byte == UInt8(ascii: "%") {
                        escape = [byte]
                        continue
                    }
                }
            }
            if endsSecret(byte) {
                endSecret(into: &out)
                mode = .value
                return index
            }
            secret?.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
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

    private mutating func endSecret(into out: inout [UInt8]) {
        secret?.append(escape)
        escape.removeAll()
        secret?.finish(.escaped, into: &out)
        secret = nil
    }

    private enum Escape {
        case incomplete
        case byte(UInt8)
        /// The bytes of an invalid escape, without the byte that ended it.
        case none([UInt8])
    }

    private static func extend(_ escape: inout [UInt8], with byte: UInt8) -> Escape {
        if escape.isEmpty || ByteSearch.hexDigit(byte) != nil {
            escape.append(byte)
        } else {
            defer { escape.removeAll(keepingCapacity: true) }
            return .none(escape)
        }
        guard escape.count == 3 else { return .incomplete }
        defer { escape.removeAll(keepingCapacity: true) }
        guard let high = ByteSearch.hexDigit(escape[1]), let low = ByteSearch.hexDigit(escape[2]) else {
            return .none([])
        }
        return .byte(high &<< 4 | low)
    }
}
