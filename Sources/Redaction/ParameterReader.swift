import Bytes
import JSON

/// Replaces the values of secret parameters in a form (URL Standard, 5.1) or behind a URL's authority.
///
/// Parameters of a URL that stands, escaped once or several times, in another parameter's value are found as well.
struct ParameterReader: FormatReader {
    /// A byte, how often it was escaped, and how many bytes it is written with.
    typealias Unit = (byte: UInt8, level: Int, count: Int)

    private static let longestName = 512
    private static let longestJSON = 65_536

    private let core: RedactionCore
    private let isURL: Bool
    private let scanner: CredentialScanner
    private var isInName = true
    /// Whether the value's first byte is still to come.
    private var isValueStart: Bool
    /// How often the separator that began the parameter was escaped; one that was escaped as often ends it.
    private var level = 0
    private var isInPath: Bool
    /// The name so far without its escapes; nil when it is too long.
    private var name: [UInt8]? = []
    /// How much was read, and the end of the last secret.
    private var place = 0
    private var floor = 0

    init(core: RedactionCore, isURL: Bool) {
        (self.core, self.isURL, isInPath) = (core, isURL, isURL)
        scanner = CredentialScanner(core: core, encoding: .form)
        // All of a form may be escaped JSON.
        isValueStart = !isURL
    }

    mutating func drop(_ count: Int) { (place, floor) = (place - count, max(0, floor - count)) }

    mutating func read(_ bytes: Span<UInt8>, from start: Int, isLast: Bool, into out: inout [UInt8]) -> Int {
        var (index, kept) = (max(start, place), start)
        while index < bytes.count {
            if !isValueStart {
                index = isInName ? passName(bytes, from: index) : passValue(bytes, from: index)
                guard index < bytes.count else { break }
            }
            // An escape may be cut.
            if bytes[index] == UInt8(ascii: "%"), !isLast, bytes.count - index <= 2 * NestingLimit.bodies { break }
            let unit = Self.unit(bytes, index, atMost: NestingLimit.bodies)
            let (before, written, length, state) = (index, kept, out.count, isLast ? nil : self)
            index += unit.count
            if beginsJSON(unit) {
                index = writeJSON(bytes, from: before, unit, &kept, into: &out)
            } else if step(unit), let name = secretName {
                index = writeSecret(bytes, from: index, name, &kept, into: &out)
            } else {
                continue
            }
            if index == bytes.count, let state {
                // It is read again with what follows.
                out.removeLast(out.count - length)
                self = state
                place = before
                return scanner.scan(bytes, written..<before, floor: floor, isLast: false, into: &out)
            }
        }
        place = index
        return scanner.scan(bytes, kept..<index, floor: floor, isLast: isLast, into: &out)
    }

    /// The run of a value's bytes up to a separator, or to an escape that may be one or is cut.
    private func passValue(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "&"), UInt8(ascii: ";"): return index
            case 0x0A where !isURL: return index
            case UInt8(ascii: "?") where isURL, UInt8(ascii: "#") where isURL, UInt8(ascii: "/") where isURL:
                return index
            case UInt8(ascii: "%"):
                // %23, %26 and %3F are separators.
                guard TextEncoding.percent(bytes, index, to: bytes.count) != nil, bytes[index &+ 1] &- 0x32 > 1 else {
                    return index
                }
                index &+= 3
            default: index &+= 1
            }
        }
        return index
    }

    /// Reads the run of a name's ordinary bytes.
    private mutating func passName(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < bytes.count, !bytes[index].isOne(of: "&;?#/=%\n") { index &+= 1 }
        if let count = name?.count {
            if count + index - start > Self.longestName { name = nil } else { name?.append(bytes, start..<index) }
        }
        return index
    }

    /// Reads a byte; whether a value begins.
    private mutating func step(_ unit: Unit) -> Bool {
        isValueStart = isValueStart && (ByteSearch.isSpace(unit.byte) || unit.byte == UInt8(ascii: "+"))
        if isValueStart { return false }
        let isPlain = unit.level == 0
        switch unit.byte {
        case UInt8(ascii: "&"): beginName(unit.level)
        case UInt8(ascii: ";") where isPlain, 0x0A where isPlain && !isURL: beginName(0)
        case UInt8(ascii: "?") where !isPlain || isURL, UInt8(ascii: "#") where !isPlain || isURL:
            if isPlain { isInPath = false }
            beginName(unit.level)
            // All of a query may be escaped JSON.
            isValueStart = true
        case UInt8(ascii: "/") where isPlain && isURL && (isInPath || isInName): beginName(0)
        case UInt8(ascii: "=") where isInName && (isPlain || unit.level <= level):
            (level, isInName, isValueStart) = (unit.level, false, true)
            return true
        default:
            guard isInName, let count = name?.count else { break }
            if count < Self.longestName { name?.append(unit.byte) } else { name = nil }
        }
        return false
    }

    private mutating func beginName(_ level: Int) {
        (isInName, self.level) = (true, level)
        if name == nil { name = [] } else { name?.removeAll(keepingCapacity: true) }
    }

    /// The name, if it is a secret's or may be one.
    private var secretName: [UInt8]? {
        guard var name else { return nil }
        // Some servers unescape once more than they should.
        while name.contains(UInt8(ascii: "%")) {
            let plainer = TextEncoding.form.plain(name)
            guard plainer.count < name.count else { break }
            name = plainer
        }
        return core.names.isDoubtful(name) || core.names.contains(name, in: .parameter) ? name : nil
    }

    // MARK: Values

    /// Replaces a secret; returns the place behind it.
    private mutating func writeSecret(
        _ bytes: Span<UInt8>, from start: Int, _ name: [UInt8], _ kept: inout Int, into out: inout [UInt8]
    ) -> Int {
        var (index, text) = (start, [UInt8]())
        isValueStart = false
        while index < bytes.count, !endsSecret(bytes[index]) {
            // The value's own escapes are escaped once more than the separators around it.
            let unit = Self.unit(bytes, index, atMost: level + 1)
            if unit.level > 0, unit.level <= level, unit.byte == UInt8(ascii: "&") || unit.byte == UInt8(ascii: "#") {
                break
            }
            text.append(unit.level == 0 && unit.byte == UInt8(ascii: "+") ? 0x20 : unit.byte)
            index += unit.count
        }
        if core.names.isDoubtful(name), !ValueLook.isLikely(text.span) { return start }
        scanner.scan(bytes, kept..<start, floor: floor, into: &out)
        core.replace(text.span, name: name.span, .escaped, into: &out)
        (kept, floor) = (index, index)
        return index
    }

    private func endsSecret(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"): true
        case UInt8(ascii: "#"): isURL
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: ";"): isInPath
        case 0x0A: !isURL
        default: false
        }
    }

    private func beginsJSON(_ unit: Unit) -> Bool {
        isValueStart && (unit.byte == UInt8(ascii: "{") || unit.byte == UInt8(ascii: "[") && !isInName)
    }

    /// Writes JSON without its secrets, if it has any; returns the place behind it.
    private mutating func writeJSON(
        _ bytes: Span<UInt8>, from start: Int, _ first: Unit, _ kept: inout Int, into out: inout [UInt8]
    ) -> Int {
        let level = first.level
        var end = ByteSearch.byte(UInt8(ascii: "&"), in: bytes, from: start, to: bytes.count)
        if isURL { end = ByteSearch.byte(UInt8(ascii: "#"), in: bytes, from: start, to: end) }
        (isInName, isValueStart) = (false, false)
        if end - start > Self.longestJSON {
            scanner.scan(bytes, kept..<start, floor: floor, into: &out)
            core.replace(bytes.extracting(start..<end), name: "json", .escaped, into: &out)
        } else {
            let raw = bytes.extracting(start..<end).withUnsafeBytes { $0.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 } }
            var text = raw
            for _ in 0..<max(1, level) { text = TextEncoding.form.plain(text) }
            let redacted = core.json(text)
            guard redacted != text else { return end }
            scanner.scan(bytes, kept..<start + first.count, floor: floor, into: &out)
            for byte in redacted.dropFirst() { Self.write(byte, level, into: &out) }
        }
        (kept, floor) = (end, end)
        return end
    }

    /// A byte as parameters have it.
    private static func write(_ byte: UInt8, _ level: Int, into out: inout [UInt8]) {
        if ByteSearch.isAlphanumeric(byte) || byte.isOne(of: "-._~:,") { return out.append(byte) }
        let digits = Array("0123456789ABCDEF".utf8)
        out.append(UInt8(ascii: "%"))
        for _ in 1..<max(1, level) { out += "25".utf8 }
        out += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    /// Reads a byte, whose escape may be escaped itself (`%2526`).
    static func unit(_ bytes: Span<UInt8>, _ start: Int, atMost deepest: Int) -> Unit {
        guard bytes[start] == UInt8(ascii: "%") else { return (bytes[start], 0, 1) }
        var (index, level) = (start + 1, 0)
        while index + 1 < bytes.count, let high = ByteSearch.hexDigit(bytes[index]),
            let low = ByteSearch.hexDigit(bytes[index + 1])
        {
            (index, level) = (index + 2, level + 1)
            // A percent sign may begin the next escape.
            guard high == 2, low == 5, level < deepest else { return (high &<< 4 | low, level, index - start) }
        }
        return (bytes[start], level, index - start)
    }
}
