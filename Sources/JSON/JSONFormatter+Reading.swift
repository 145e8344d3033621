extension JSONFormatter {
    /// Reads a text that ``JSONReader`` has accepted once more, for its layout.
    struct Outline {
        private var reader: JSONReader
        /// Where the last line break ended.
        private var lastBreak = -1

        init(_ bytes: [UInt8]) { reader = JSONReader(bytes, .json5) }

        /// The value with the comments around it.
        mutating func document() throws(JSONFailure) -> [Element] {
            var elements: [Element] = []
            // A text begins as a line does.
            var gap = Gap(endsLine: true)
            try skip(into: &gap, lineStart: reader.at)
            Self.place(gap, beforeItem: true, in: &elements)
            elements.append(Self.element(Item(value: try value()), after: gap))
            gap = Gap()
            try skip(into: &gap)
            Self.place(gap, beforeItem: false, in: &elements)
            return elements
        }

        private mutating func value() throws(JSONFailure) -> Value {
            switch reader.peek {
            case UInt8(ascii: "{"): .structure(try structure(UInt8(ascii: "{"), UInt8(ascii: "}")))
            case UInt8(ascii: "["): .structure(try structure(UInt8(ascii: "["), UInt8(ascii: "]")))
            default: .primitive(try token())
            }
        }

        private mutating func structure(_ opening: UInt8, _ closing: UInt8) throws(JSONFailure) -> Structure {
            let start = reader.at
            reader.at += 1
            var elements: [Element] = []
            var gap = Gap()
            try skip(into: &gap)
            while let byte = reader.peek, byte != closing {
                Self.place(gap, beforeItem: true, in: &elements)
                gap = try item(after: gap, hasKey: opening == UInt8(ascii: "{"), in: &elements)
            }
            Self.place(gap, beforeItem: false, in: &elements)
            reader.at += 1
            return Structure(opening: opening, closing: closing, isOnOneLine: lastBreak <= start, elements: elements)
        }

        /// Reads an item with its comma, and returns what lies behind it.
        private mutating func item(
            after gap: Gap, hasKey: Bool, in elements: inout [Element]
        ) throws(JSONFailure) -> Gap {
            var (key, before, after): (Range<Int>?, Gap, Gap) = (nil, Gap(), Gap())
            if hasKey {
                key = try token()
                try skip(into: &before)
                reader.at += 1
                try skip(into: &after)
            }
            var item = Item(key: key, value: try value())
            var rest = Gap()
            try skip(into: &rest)
            item.commentsBeforeColon = Self.takeComments(from: &before) { _ in true }
            item.commentsAfterColon = Self.takeComments(from: &after) { _ in true }
            item.commentsBeforeComma = Self.takeComments(from: &rest) { !$0.startsLine }
            Self.makeRoomForComma(in: &rest)
            if reader.peek == UInt8(ascii: ",") {
                reader.at += 1
                try skip(into: &rest)
            }
            elements.append(Self.element(item, after: gap))
            Self.hoist(before.elements + after.elements, in: &elements)
            return rest
        }

        /// A string, a number, a word, or an unquoted key.
        private mutating func token() throws(JSONFailure) -> Range<Int> {
            let start = reader.at
            switch reader.peek ?? 0 {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): _ = try reader.string()
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."):
                _ = try reader.number()
            default:
                guard reader.identifier() != nil else {
                    throw reader.failure(start, "\(reader.found(start)) where a value should be", expected: "a value")
                }
            }
            // A string goes on in the next line behind a backslash.
            noteBreaks(in: start..<reader.at)
            return start..<reader.at
        }
    }
}

extension JSONFormatter.Outline {
    /// Steps over white space and comments, and adds what it finds.
    ///
    /// - Parameter lineStart: where the line begins, if nothing but white space stands on it so far.
    private mutating func skip(into gap: inout JSONFormatter.Gap, lineStart: Int? = nil) throws(JSONFailure) {
        var lineStart = lineStart
        var tokenEnd = reader.at
        var breaks = 0
        while let byte = reader.peek {
            if isLineBreak(byte) {
                let isPair = reader.bytes[reader.at...].starts(with: [0x0D, 0x0A])
                reader.at += isPair ? 2 : 1
                breaks += 1
                gap.endsLine = true
                if breaks > 1 { gap.hasBlankLine = true }
                (lastBreak, lineStart) = (reader.at, reader.at)
            } else if byte == UInt8(ascii: "/") {
                let comment = try comment(lineStart: lineStart, tokenEnd: tokenEnd)
                gap.elements.append(
                    JSONFormatter.Element(
                        body: .comment(comment), startsLine: gap.endsLine, followsBlankLine: gap.hasBlankLine))
                (gap.endsLine, gap.hasBlankLine) = (false, false)
                (lineStart, breaks, tokenEnd) = (nil, 0, reader.at)
            } else {
                let width = widthOfSpace(byte)
                if width == 0 { return }
                reader.at += width
            }
        }
    }

    private mutating func comment(lineStart: Int?, tokenEnd: Int) throws(JSONFailure) -> JSONFormatter.Comment {
        let start = reader.at
        try reader.skipComment()
        let range = start..<reader.at
        let isOfOneLine = !noteBreaks(in: range)
        let space = reader.bytes[tokenEnd..<start]
        return JSONFormatter.Comment(
            range: range, allowsMore: isOfOneLine && reader.bytes[start + 1] == UInt8(ascii: "*"),
            indentation: lineStart.map { $0..<start },
            distance: space.allSatisfy { $0 == 0x20 } ? max(1, space.count) : 1)
    }

    /// How many bytes the white space that starts here has; 0 when something else does.
    private func widthOfSpace(_ byte: UInt8) -> Int {
        switch byte {
        case 0x20, 0x09, 0x0B, 0x0C: 1
        case 0x80...: reader.scalar(at: reader.at).map { reader.isSpace($0) ? UTF8.width($0) : 0 } ?? 0
        default: 0
        }
    }

    private func isLineBreak(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    /// Whether lines end within a token.
    @discardableResult
    private mutating func noteBreaks(in range: Range<Int>) -> Bool {
        guard reader.bytes[range].contains(where: isLineBreak) else { return false }
        lastBreak = range.upperBound
        return true
    }
}
