import Bytes
import Contracts
import JSON

/// Android's binary XML, as it is in an .apk.
struct AndroidXML {
    /// Attributes of the framework that rules ask for: a build may leave out their names.
    private static let known: [UInt32: String] = [
        0x0101_000F: "debuggable", 0x0101_04EC: "usesCleartextTraffic", 0x0101_0527: "networkSecurityConfig",
    ]

    static func isOne(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x03, 0x00, 0x08, 0x00]) }

    static func read(_ bytes: [UInt8]) throws(LintFailure) -> MarkupElement {
        var reader = AndroidXML(bytes: bytes)
        return try reader.read()
    }

    private let bytes: [UInt8]
    private var strings: [String] = []
    private var resources: [UInt32] = []

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private func number(_ at: Int, _ size: Int) throws(LintFailure) -> Int {
        guard at >= 0, at + size <= bytes.count else { throw LintFailure("the binary XML is cut off") }
        return bytes[at..<at + size].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private func string(_ index: Int) throws(LintFailure) -> String {
        if index == 0xFFFF_FFFF { return "" }
        guard index < strings.count else { throw LintFailure("string \(index) of the binary XML is nowhere") }
        return strings[index]
    }

    private mutating func read() throws(LintFailure) -> MarkupElement {
        guard Self.isOne(bytes), try number(4, 4) == bytes.count else {
            throw LintFailure("the length in the binary XML is not its own")
        }
        var at = 8
        var open: [MarkupElement] = []
        var root: MarkupElement?
        while at < bytes.count {
            let (type, header, size) = (try number(at, 2), try number(at + 2, 2), try number(at + 4, 4))
            guard header >= 8, size >= header, size <= bytes.count - at else {
                throw LintFailure("a part of the binary XML has no possible length")
            }
            switch type {
            case 0x0001: strings = try pool(at, size)
            case 0x0180:
                resources = []
                for place in stride(from: at + header, to: at + size - 3, by: 4) {
                    resources.append(UInt32(try number(place, 4)))
                }
            case 0x0102:
                guard open.count < NestingLimit.values, root == nil else {
                    throw LintFailure("the elements are nested too deeply, or there are several roots")
                }
                open.append(try element(at + header, end: at + size))
            case 0x0103:
                guard let last = open.popLast() else { throw LintFailure("an element ends that did not begin") }
                if open.isEmpty { root = last } else { open[open.count - 1].children.append(last) }
            default: break
            }
            at += size
        }
        guard let root, open.isEmpty else { throw LintFailure("the binary XML has no complete element") }
        return root
    }

    private func element(_ at: Int, end: Int) throws(LintFailure) -> MarkupElement {
        var element = MarkupElement(name: try string(try number(at + 4, 4)))
        let (start, size, count) = (try number(at + 8, 2), try number(at + 10, 2), try number(at + 12, 2))
        guard size >= 20, at + start + size * count <= end else { throw LintFailure("attributes are cut off") }
        for index in 0..<count {
            let place = at + start + index * size
            let name = try number(place + 4, 4)
            let known = name < resources.count ? Self.known[resources[name]] : nil
            let (raw, type, data) = (try number(place + 8, 4), try number(place + 15, 1), try number(place + 16, 4))
            let value =
                switch type {
                case 0x03: try string(data)
                case 0x12: data == 0 ? "false" : "true"
                case 0x01: "@0x" + String(data, radix: 16)
                case 0x10, 0x11: String(data)
                default: try string(raw)
                }
            let text = try string(name)
            element.attributes.append((known ?? text, value))
        }
        return element
    }

    private func pool(_ at: Int, _ size: Int) throws(LintFailure) -> [String] {
        let (count, flags, start) = (try number(at + 8, 4), try number(at + 16, 4), try number(at + 20, 4))
        guard count <= size / 4, start <= size else { throw LintFailure("the strings are cut off") }
        let isUTF8 = flags & 0x100 != 0
        let end = at + size
        var strings: [String] = []
        for index in 0..<count {
            var place = at + start + (try number(at + 28 + index * 4, 4))
            func length() throws(LintFailure) -> Int {
                let unit = isUTF8 ? 1 : 2
                let high = isUTF8 ? 0x80 : 0x8000
                var value = try number(place, unit)
                place += unit
                if value & high != 0 {
                    value = (value & (high - 1)) << (8 * unit) | (try number(place, unit))
                    place += unit
                }
                return value
            }
            // In UTF-8 the count of UTF-16 units stands first.
            if isUTF8 { _ = try length() }
            let count = try length()
            guard place >= 0, count <= (end - place) / (isUTF8 ? 1 : 2) else {
                throw LintFailure("a string is cut off")
            }
            if isUTF8 {
                strings.append(String(decoding: bytes[place..<place + count], as: UTF8.self))
            } else {
                let units = (0..<count).map { UInt16(bytes[place + 2 * $0]) | UInt16(bytes[place + 2 * $0 + 1]) << 8 }
                strings.append(String(decoding: units, as: UTF16.self))
            }
        }
        return strings
    }
}
