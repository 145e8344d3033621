extension JSONFormatter {
    /// Writes an outline down.
    struct Printer {
        let bytes: [UInt8]
        /// Whether a comma follows the last item of what is spread.
        let hasTrailingCommas: Bool
        let sizeLimit: Int
        /// Incomplete when it is larger than the limit.
        private(set) var output: [UInt8] = []

        init(_ bytes: [UInt8], hasTrailingCommas: Bool, sizeLimit: Int) {
            self.bytes = bytes
            self.hasTrailingCommas = hasTrailingCommas
            self.sizeLimit = sizeLimit
        }

        mutating func document(_ elements: [Element]) {
            lines(elements, depth: 0, trailingComma: false)
            output.append(0x0A)
        }

        private mutating func lines(_ elements: [Element], depth: Int, trailingComma: Bool) {
            let last = elements.lastIndex { if case .item = $0.body { true } else { false } }
            var isFirstLine = true
            for (index, element) in elements.enumerated() {
                guard output.count <= sizeLimit else { return }
                if element.startsLine {
                    if element.followsBlankLine, !isFirstLine { output.append(0x0A) }
                    if !output.isEmpty { breakLine(depth) }
                    isFirstLine = false
                }
                switch element.body {
                case .comment(let comment):
                    if !element.startsLine { spaces(comment.distance) }
                    append(comment, depth: depth)
                case .item(let item):
                    if !element.startsLine { spaces(1) }
                    let needsComma = index != last || trailingComma
                    appendKey(of: item)
                    append(item.value, depth: depth, columnsBehind: needsComma ? 1 : 0)
                    for comment in item.commentsBeforeComma { appendSpaced(comment) }
                    if needsComma { output.append(UInt8(ascii: ",")) }
                }
            }
        }

        private mutating func append(_ value: Value, depth: Int, columnsBehind: Int) {
            switch value {
            case .primitive(let range): append(range)
            case .structure(let structure):
                if structure.elements.isEmpty {
                    output += [structure.opening, structure.closing]
                } else if !(structure.isOnOneLine && appendIfFitting(structure, columnsBehind)) {
                    output.append(structure.opening)
                    lines(structure.elements, depth: depth + 1, trailingComma: hasTrailingCommas)
                    breakLine(depth)
                    output.append(structure.closing)
                }
            }
        }

        /// Writes a structure on the line that has begun, or nothing if it would be too long.
        private mutating func appendIfFitting(_ structure: Structure, _ columnsBehind: Int) -> Bool {
            let start = output.count
            // A scalar has four bytes at most, and longer text is not worth writing to its end.
            if appendOnOneLine(structure, limit: start + 4 * JSONFormatter.width) {
                let lineStart = output.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
                let columns = output[lineStart...].count { $0 & 0xC0 != 0x80 }
                if columns + columnsBehind <= JSONFormatter.width { return true }
            }
            output.removeSubrange(start...)
            return false
        }

        private mutating func appendOnOneLine(_ structure: Structure, limit: Int) -> Bool {
            let last = structure.elements.lastIndex { if case .item = $0.body { true } else { false } }
            let padding = structure.opening == UInt8(ascii: "{") && !structure.elements.isEmpty ? 1 : 0
            output.append(structure.opening)
            spaces(padding)
            for (index, element) in structure.elements.enumerated() {
                if index > 0 { spaces(1) }
                switch element.body {
                case .comment(let comment): append(comment.range)
                case .item(let item):
                    appendKey(of: item)
                    switch item.value {
                    case .primitive(let range): append(range)
                    case .structure(let inner): guard appendOnOneLine(inner, limit: limit) else { return false }
                    }
                    for comment in item.commentsBeforeComma { appendSpaced(comment) }
                    if index != last { output.append(UInt8(ascii: ",")) }
                }
                guard output.count <= limit else { return false }
            }
            spaces(padding)
            output.append(structure.closing)
            return true
        }
    }
}

extension JSONFormatter.Printer {
    private mutating func appendKey(of item: JSONFormatter.Item) {
        guard let key = item.key else { return }
        append(key)
        for comment in item.commentsBeforeColon { appendSpaced(comment) }
        output.append(UInt8(ascii: ":"))
        for comment in item.commentsAfterColon { appendSpaced(comment) }
        spaces(1)
    }

    private mutating func appendSpaced(_ comment: JSONFormatter.Comment) {
        spaces(1)
        append(comment.range)
    }

    /// A comment whose lines keep their place relative to its first one, without space at their ends.
    private mutating func append(_ comment: JSONFormatter.Comment, depth: Int) {
        let isLineEnd: (UInt8) -> Bool = { $0 == 0x0A || $0 == 0x0D }
        var rest = bytes[comment.range]
        while true {
            let line = rest.prefix { !isLineEnd($0) }
            output += line
            while let byte = output.last, byte == 0x20 || byte == 0x09 { output.removeLast() }
            rest = rest[line.endIndex...]
            guard !rest.isEmpty else { return }
            rest = rest.dropFirst(rest.starts(with: [0x0D, 0x0A]) ? 2 : 1)
            output.append(0x0A)
            if let indentation = comment.indentation, rest.starts(with: bytes[indentation]) {
                rest = rest.dropFirst(indentation.count)
                spaces(2 * depth)
            }
        }
    }

    /// A token as it is; where a string goes on in the next line, that line ends as all do.
    private mutating func append(_ range: Range<Int>) {
        var isReturn = false
        for byte in bytes[range] {
            if !(isReturn && byte == 0x0A) { output.append(byte == 0x0D ? 0x0A : byte) }
            isReturn = byte == 0x0D
        }
    }

    private mutating func breakLine(_ depth: Int) {
        output.append(0x0A)
        spaces(2 * depth)
    }

    private mutating func spaces(_ count: Int) {
        output.append(contentsOf: repeatElement(0x20, count: count))
    }
}
