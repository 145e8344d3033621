import Bytes

/// A head as it was recorded: lines of HTTP/1.1, or pseudo-header fields in the place of the first one.
public struct ContractHead {
    private let bytes: [UInt8]
    private var fields: [(name: Range<Int>, value: Range<Int>)] = []
    /// The target of a request; nil in other heads.
    public private(set) var target: String?

    /// Reads a head that may be broken in any way; lines that are no fields are left out.
    ///
    /// - Parameter hasStart: its first line is no field.
    public init(_ bytes: [UInt8], hasStart: Bool = true) {
        self.bytes = bytes
        var at = 0
        while at < bytes.count {
            let next = bytes[at...].firstIndex(of: 0x0A) ?? bytes.count
            var line = at..<next
            if line.last.map({ bytes[$0] == 0x0D }) == true { line.removeLast() }
            if at == 0, hasStart, bytes[0] != UInt8(ascii: ":") { readStart(line) } else { read(line) }
            at = next + 1
        }
        if target == nil { target = values(named: ":path").first }
    }

    private mutating func readStart(_ line: Range<Int>) {
        let words = bytes[line].split(separator: 0x20, omittingEmptySubsequences: false)
        if words.count == 3, !words[0].contains(UInt8(ascii: "/")) { target = text(words[1].indices) }
    }

    private mutating func read(_ line: Range<Int>) {
        // The names of pseudo-header fields begin with a colon.
        guard let colon = bytes[line].dropFirst().firstIndex(of: UInt8(ascii: ":")) else { return }
        var value = colon + 1..<line.upperBound
        while let first = value.first, ByteSearch.isBlank(bytes[first]) { value.removeFirst() }
        while let last = value.last, ByteSearch.isBlank(bytes[last]) { value.removeLast() }
        fields.append((line.lowerBound..<colon, value))
    }

    /// - Parameter name: in any letters.
    public func values(named name: String) -> [String] {
        var name = name
        return name.withUTF8 { name in
            fields.filter { field in
                field.name.count == name.count
                    && zip(field.name, name).allSatisfy { Self.lowered(bytes[$0]) == Self.lowered($1) }
            }.map { text($0.value) }
        }
    }

    /// It says that content follows.
    var hasContent: Bool {
        values(named: "Content-Length").contains { $0 != "0" } || !values(named: "Transfer-Encoding").isEmpty
    }

    private static func lowered(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    private func text(_ place: Range<Int>) -> String { String(decoding: bytes[place], as: UTF8.self) }
}
