import Bytes

/// Finds method overrides in a request.
///
/// Servers know many names for it: X-HTTP-Method-Override and its shorter forms, `_method` in a query or a form.
/// They also fold names in many ways, so a name counts by its letters alone.
package enum MethodOverride {
    /// Names that are made of these words, `method` or `verb` among them, are overrides.
    private static let words = [
        "override", "original", "forwarded", "request", "rewrite", "tunneled", "tunnel", "method", "verb", "http",
        "real", "rest", "x",
    ]
    private static let safe = ["GET", "HEAD", "OPTIONS", "TRACE"]
    private static let unsafe = ["POST", "PUT", "PATCH", "DELETE"]

    /// The methods other than safe ones that a field or parameter asks for.
    package static func methods(named name: [UInt8], value: [UInt8]) -> [String] {
        // PHP and others cut a name at a NUL, and take `_method[x]` for a list of that name.
        let end = name.firstIndex { $0 == 0 || $0 == UInt8(ascii: "[") } ?? name.endIndex
        let cut = end == name.endIndex ? [] : methods(of: name[..<end], value)
        return cut.isEmpty ? methods(of: name[...], value) : cut
    }

    private static func methods(of name: ArraySlice<UInt8>, _ value: [UInt8]) -> [String] {
        let letters = letters(of: name)
        guard letters.contains("method") || letters.contains("verb"), isMade(letters, of: words) else { return [] }
        let tokens = value.split { !isTokenByte($0) }.map { String(decoding: $0, as: UTF8.self).uppercased() }
        // A parameter `method` alone may mean something else, such as a way to pay.
        let isPlainWord = (letters == "method" || letters == "verb") && name.first.map { isLetter($0 | 0x20) } == true
        return tokens.filter { isPlainWord ? unsafe.contains($0) : !safe.contains($0) }
    }

    /// The same for all parameters of a query or of a form's content.
    package static func methods(inParameters text: [UInt8]) -> [String] {
        URLParameters.read(text, separators: "&;").flatMap { name, value in
            // Twice, since some servers decode text that a server in front has decoded.
            methods(named: FormCoding.decoded(FormCoding.decoded(name)), value: FormCoding.decoded(value))
        }
    }

    /// The letters of a name in small.
    static func letters(of name: some Sequence<UInt8>) -> String {
        String(decoding: name.map { $0 | 0x20 }.filter(isLetter), as: UTF8.self)
    }

    static func isMade(_ letters: String, of words: [String]) -> Bool {
        var rest = letters[...]
        while !rest.isEmpty {
            guard let word = words.first(where: { rest.hasPrefix($0) }) else { return false }
            rest.removeFirst(word.count)
        }
        return true
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }

    /// What may stand in a method that a server would take, and what it cannot be told to skip.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        isLetter(byte | 0x20) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte >= 0x80
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}
