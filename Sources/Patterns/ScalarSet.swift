/// Which characters are meant, by ranges and general categories.
struct ScalarSet: Sendable {
    private var ranges: [ClosedRange<UInt32>] = []
    /// A bit for each general category, in the order of ``categories``.
    private var mask: UInt32 = 0
    private var isInverted = false

    init(_ ranges: [ClosedRange<UInt32>] = []) { self.ranges = ranges }

    init(_ categories: [Unicode.GeneralCategory]) {
        for category in categories { mask |= Self.bit(category) }
    }

    static let digits = ScalarSet([0x30...0x39])
    static let word = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    static let space = ScalarSet([
        0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F...0x202F,
        0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
    ])
    static let lineBreaks = ScalarSet([0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029])

    var inverted: ScalarSet {
        var result = self
        result.isInverted.toggle()
        return result
    }

    mutating func insert(_ range: ClosedRange<UInt32>) { ranges.append(range) }

    /// - Returns: false where the union cannot be told: the complement of categories is none of ranges.
    mutating func insert(_ other: ScalarSet) -> Bool {
        if other.isInverted, other.mask != 0 { return false }
        ranges += other.isInverted ? Self.gaps(of: other.ranges) : other.ranges
        mask |= other.mask
        return true
    }

    private static func gaps(of ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        var gaps: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > next { gaps.append(next...(range.lowerBound - 1)) }
            next = max(next, range.upperBound + 1)
        }
        return gaps + [next...0x10FFFF]
    }

    func contains(_ scalar: UInt32) -> Bool {
        var isIn = ranges.contains { $0.contains(scalar) }
        if !isIn, mask != 0, let scalar = Unicode.Scalar(scalar) {
            isIn = mask & Self.bit(scalar.properties.generalCategory) != 0
        }
        return isIn != isInverted
    }

    var ascii: ByteSet { ByteSet((0..<0x80).filter { contains(UInt32($0)) }) }

    /// Whether there are any but ASCII.
    var hasOthers: Bool { isInverted || mask != 0 || ranges.contains { $0.upperBound >= 0x80 } }

    // MARK: Bytes

    /// The bytes of characters beyond ASCII.
    static let longer: [[ByteSet]] = [
        [ByteSet(0xC2...0xDF), followers], [ByteSet(0xE0...0xEF), followers, followers],
        [ByteSet(0xF0...0xF4), followers, followers, followers],
    ]
    private static let followers = ByteSet(0x80...0xBF)

    /// Whether it has the character beyond ASCII that ends with the lowest of these bytes.
    func contains(endOf recent: UInt32) -> Bool {
        var scalar = recent & 0x3F
        for index in 1..<UInt32(4) {
            let byte = recent >> (8 * index) & 0xFF
            if byte & 0xC0 == 0x80 {
                scalar |= (byte & 0x3F) << (6 * index)
            } else {
                return contains(scalar | (byte & (0x3F >> index)) << (6 * index))
            }
        }
        return false
    }

    // MARK: Categories

    private static func bit(_ category: Unicode.GeneralCategory) -> UInt32 {
        categories.firstIndex { $0.category == category }.map { 1 << UInt32($0) } ?? 0
    }

    /// The categories of a name like `L`, `Lu` or `Letter`; empty for an unknown one.
    static func categories(named name: String) -> [Unicode.GeneralCategory] {
        let short = groups[name] ?? name
        return categories.filter {
            short.utf8.count == 1 ? $0.short.hasPrefix(short) : $0.short == short || $0.long == name
        }
        .map(\.category)
    }

    private static let groups = [
        "Letter": "L", "Mark": "M", "Combining_Mark": "M", "Number": "N", "Punctuation": "P", "punct": "P",
        "Symbol": "S",
        "Separator": "Z", "Other": "C", "digit": "Nd", "cntrl": "Cc",
    ]

    private static let categories: [(short: String, long: String, category: Unicode.GeneralCategory)] = [
        ("Lu", "Uppercase_Letter", .uppercaseLetter), ("Ll", "Lowercase_Letter", .lowercaseLetter),
        ("Lt", "Titlecase_Letter", .titlecaseLetter), ("Lm", "Modifier_Letter", .modifierLetter),
        ("Lo", "Other_Letter", .otherLetter), ("Mn", "Nonspacing_Mark", .nonspacingMark),
        ("Mc", "Spacing_Mark", .spacingMark), ("Me", "Enclosing_Mark", .enclosingMark),
        ("Nd", "Decimal_Number", .decimalNumber), ("Nl", "Letter_Number", .letterNumber),
        ("No", "Other_Number", .otherNumber), ("Pc", "Connector_Punctuation", .connectorPunctuation),
        ("Pd", "Dash_Punctuation", .dashPunctuation), ("Ps", "Open_Punctuation", .openPunctuation),
        ("Pe", "Close_Punctuation", .closePunctuation), ("Pi", "Initial_Punctuation", .initialPunctuation),
        ("Pf", "Final_Punctuation", .finalPunctuation), ("Po", "Other_Punctuation", .otherPunctuation),
        ("Sm", "Math_Symbol", .mathSymbol), ("Sc", "Currency_Symbol", .currencySymbol),
        ("Sk", "Modifier_Symbol", .modifierSymbol), ("So", "Other_Symbol", .otherSymbol),
        ("Zs", "Space_Separator", .spaceSeparator), ("Zl", "Line_Separator", .lineSeparator),
        ("Zp", "Paragraph_Separator", .paragraphSeparator), ("Cc", "Control", .control), ("Cf", "Format", .format),
        ("Cs", "Surrogate", .surrogate), ("Co", "Private_Use", .privateUse), ("Cn", "Unassigned", .unassigned),
    ]
}
