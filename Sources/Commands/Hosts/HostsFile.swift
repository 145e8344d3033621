import Platform

/// A hosts file (hosts(5)) as lines, of which one marked block is a project's; all other bytes stay as they are.
struct HostsFile {
    /// A line that names a host outside of the block.
    struct Other {
        let number: Int
        let address: String
    }

    private struct Line {
        /// Without its end.
        let text: [UInt8]
        /// `\n`, `\r\n`, or nothing for an unfinished last line.
        let end: [UInt8]
        /// Stands in the project's block.
        var isMarked = false
    }

    private static let newline = UInt8(ascii: "\n")

    private var lines: [Line] = []
    /// The end of lines that are added.
    private let lineEnd: [UInt8]
    /// Follows the words of both markers.
    private let project: String
    /// The end of an unfinished line is the block's; see ``beginning(_:)``.
    private var finishesLine = false

    /// - Parameter project: the folder whose block is meant.
    init(_ bytes: [UInt8], project: String) {
        self.project = project
        var rest = bytes[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: Self.newline)
            var text = rest[..<(end ?? rest.endIndex)]
            var lineEnd: [UInt8] = end == nil ? [] : [Self.newline]
            if end != nil, text.last == UInt8(ascii: "\r") {
                text.removeLast()
                lineEnd = Array("\r\n".utf8)
            }
            lines.append(Line(text: Array(text), end: lineEnd))
            rest = rest[(end.map { $0 + 1 } ?? rest.endIndex)...]
        }
        lineEnd = lines.first { !$0.end.isEmpty }?.end ?? [Self.newline]
        mark()
    }

    var bytes: [UInt8] { lines.flatMap { $0.text + $0.end } }

    // MARK: The block

    /// A second form of the first marker says that the line before it had no end of its own.
    private func beginning(finishing: Bool) -> String {
        "# BEGIN shunt\(finishing ? " behind an unfinished line" : ""): \(project)"
    }
    private var ending: String { "# END shunt: \(project)" }

    /// Finds the block, also where a person has removed one of its markers or has copied it.
    private mutating func mark() {
        var isInside = false
        for index in lines.indices {
            let text = String(decoding: lines[index].text, as: UTF8.self)
            if isBeginning(text) {
                isInside = true
                lines[index].isMarked = true
                finishesLine = text == beginning(finishing: true)
            } else if text == ending {
                isInside = false
                lines[index].isMarked = true
            } else if isInside, !endsLater(than: index), Self.written(lines[index].text) == nil {
                // Its end is missing: what follows is another's.
                isInside = false
            } else if isInside, Self.written(lines[index].text) != nil {
                lines[index].isMarked = true
            }
        }
    }

    private func isBeginning(_ text: String) -> Bool {
        text == beginning(finishing: false) || text == beginning(finishing: true)
    }

    /// Whether the next marker is the block's end.
    private func endsLater(than index: Int) -> Bool {
        let texts = lines[index...].lazy.map { String(decoding: $0.text, as: UTF8.self) }
        return texts.first { $0 == ending || isBeginning($0) } == ending
    }

    /// The host of a line as this type writes it; other lines of a block are a person's, and are kept.
    private static func written(_ line: [UInt8]) -> String? {
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 2, addresses.contains(where: { Array($0.utf8) == Array(words[0]) }) else { return nil }
        return String(decoding: words[1], as: UTF8.self)
    }

    /// Both: a client that asks for IPv6 first must not be led elsewhere.
    private static let addresses = ["127.0.0.1", "::1"]

    /// The hosts of the block, in its order.
    var hosts: [String] {
        var found: [String] = []
        for line in lines where line.isMarked {
            if let host = Self.written(line.text), !found.contains(host) { found.append(host) }
        }
        return found
    }

    var hasBlock: Bool { lines.contains(where: \.isMarked) }

    /// The marked lines.
    var block: [String] { lines.filter(\.isMarked).map { String(decoding: $0.text, as: UTF8.self) } }

    /// Takes the block out; lines in it that Shunt has not written stay.
    mutating func remove() {
        guard let first = lines.firstIndex(where: \.isMarked) else { return }
        let isLast = !lines[first...].contains { !$0.isMarked }
        lines.removeAll(where: \.isMarked)
        if finishesLine, isLast, first > 0 { lines[first - 1] = Line(text: lines[first - 1].text, end: []) }
        finishesLine = false
    }

    /// Puts the block at the end, in place of the one that there is.
    mutating func set(_ hosts: [String]) {
        remove()
        guard !hosts.isEmpty else { return }
        if let last = lines.last, last.end.isEmpty {
            finishesLine = true
            lines[lines.count - 1] = Line(text: last.text, end: lineEnd)
        }
        let texts =
            [beginning(finishing: finishesLine)] + hosts.flatMap { host in Self.addresses.map { "\($0) \(host)" } }
            + [ending]
        lines += texts.map { Line(text: Array($0.utf8), end: lineEnd, isMarked: true) }
    }

    // MARK: Other lines

    /// The lines outside of the block that name a host; the first one of a kind of address counts.
    func others(naming host: String) -> [Other] {
        lines.enumerated().compactMap { index, line in
            guard !line.isMarked else { return nil }
            let words = line.text.prefix { $0 != UInt8(ascii: "#") }
                .split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
                .map { String(decoding: $0, as: UTF8.self) }
            guard let address = words.first, words.dropFirst().contains(where: { $0.lowercased() == host }) else {
                return nil
            }
            return Other(number: index + 1, address: address)
        }
    }
}
