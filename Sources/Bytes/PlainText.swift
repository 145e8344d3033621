/// Text that a terminal shows and does not obey.
public enum PlainText {
    /// Without control characters and without those that turn the direction of writing; `?` stands for them.
    public static func clean(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isUnsafe($0) ? "?" : $0 }))
    }

    /// UTF-8 as text, tabs kept; what is no UTF-8 becomes U+FFFD.
    public static func line(_ bytes: some Collection<UInt8>) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        return String(
            String.UnicodeScalarView(text.unicodeScalars.map { isUnsafe($0) && $0 != "\t" ? "?" : $0 }))
    }

    /// Whether bytes can be shown as they are: UTF-8 without control characters other than tabs and line breaks.
    ///
    /// - Parameter isCut: they may end within a character.
    public static func isPlain(_ bytes: some Collection<UInt8>, isCut: Bool = false) -> Bool {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar):
                if isUnsafe(scalar), !"\t\r\n".unicodeScalars.contains(scalar) { return false }
            case .emptyInput: return true
            case .error:
                // No character is longer than four bytes.
                return isCut && iterator.next() == nil
            }
        }
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20...0x7E: false
        case ..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C: true
        default: false
        }
    }
}
