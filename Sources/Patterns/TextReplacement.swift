/// A text, or the matches of a regular expression, with what takes their place.
public struct TextReplacement: Hashable, Sendable {
    /// As a profile has it.
    public let text: String
    public let isPattern: Bool
    public let replacement: [UInt8]
    let program: PatternProgram?

    /// Plain text, in the same case.
    public init(text: String, by replacement: String) {
        (self.text, self.replacement, isPattern, program) = (text, Array(replacement.utf8), false, nil)
    }

    /// A regular expression; ASCII letters in either case.
    ///
    /// - Parameter limit: The steps that it may take.
    public init(pattern: String, by replacement: String, limit: Int) throws(PatternFailure) {
        let characters = Array(pattern)
        var parser = PatternParser(characters, dots: .anyByte)
        guard let program = PatternProgram(try parser.parse(), limit: limit) else {
            throw PatternFailure(
                message: "a pattern that is too large",
                expected: "fewer or smaller repetitions: \(limit) steps at most", index: 0, isTooLarge: true)
        }
        (text, self.replacement, isPattern, self.program) = (pattern, Array(replacement.utf8), true, program)
    }

    public static func == (left: TextReplacement, right: TextReplacement) -> Bool {
        left.text == right.text && left.isPattern == right.isPattern && left.replacement == right.replacement
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(text)
        hasher.combine(replacement)
    }
}

/// Makes one replacement in a text that comes in pieces of any size, in time in proportion to the text.
///
/// The result is the same for any pieces. Matches do not overlap, and none is empty.
public struct TextReplacer {
    /// How often the text was found.
    public private(set) var count = 0
    private let replacement: [UInt8]
    private var search: LiteralReplacement?
    private var matcher: PatternReplacement?

    public init(_ replacement: TextReplacement) {
        self.replacement = replacement.replacement
        if let program = replacement.program {
            matcher = PatternReplacement(program)
        } else {
            search = LiteralReplacement(Array(replacement.text.utf8))
        }
    }

    /// Appends what is decided of the text so far; only the possible beginning of a match is held back.
    public mutating func feed(_ bytes: UnsafeRawBufferPointer, isLast: Bool, into out: inout [UInt8]) {
        let bytes = bytes.bindMemory(to: UInt8.self)
        if search != nil { count += search?.feed(bytes, isLast, replacement, &out) ?? 0 }
        if matcher != nil { count += matcher?.feed(bytes, isLast, replacement, &out) ?? 0 }
    }
}

/// The same for plain text, after Knuth, Morris and Pratt: what is held back is a beginning of the text.
private struct LiteralReplacement {
    private let wanted: [UInt8]
    private let fallbacks: ContiguousArray<Int>
    private var length = 0

    init(_ wanted: [UInt8]) {
        self.wanted = wanted
        fallbacks = LiteralSearch.fallbacks(of: wanted)
    }

    mutating func feed(
        _ bytes: UnsafeBufferPointer<UInt8>, _ isLast: Bool, _ replacement: [UInt8], _ out: inout [UInt8]
    ) -> Int {
        guard let first = wanted.first else {
            out.append(contentsOf: bytes)
            return 0
        }
        var (count, index, start) = (0, 0, 0)
        while index < bytes.count {
            if length == 0 {
                while index < bytes.count, bytes[index] != first { index += 1 }
                if index > start { out.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<index])) }
                start = index
                if index == bytes.count { break }
            }
            let byte = bytes[index]
            if wanted[length] == byte {
                length += 1
                index += 1
                start = index
                if length == wanted.count {
                    out.append(contentsOf: replacement)
                    count += 1
                    length = 0
                }
            } else {
                // What is no beginning any more goes on, and the byte is looked at again.
                let shorter = fallbacks[length - 1]
                out.append(contentsOf: wanted[..<(length - shorter)])
                length = shorter
            }
        }
        if isLast {
            out.append(contentsOf: wanted[..<length])
            length = 0
        }
        return count
    }
}
