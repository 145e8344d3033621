import Bytes

/// Finds method overrides in a request.
///
/// Servers know many names for it: X-HTTP-Method-Override and its shorter forms, `_method` in a query or a form.
/// They also fold names in many ways, so a name counts by its letters alone.
package enum MethodOverride {
    /// What a name asks servers for.
    package enum Demand: Comparable {
        /// Maybe another method: a parameter `method` alone may mean something else, such as a way to pay.
        case maybe
        case method
    }

    /// Names that are made of these words, `method` or `verb` among them, are overrides.
    private static let words = [
        "override", "original", "forwarded", "request", "rewrite", "tunneled", "tunnel", "method", "verb", "http",
        "real", "rest", "x",
    ].map { Array($0.utf8) }
    private static let method = Array("method".utf8)
    private static let verb = Array("verb".utf8)
    private static let safe = ["GET", "HEAD", "OPTIONS", "TRACE"]
    private static let unsafe = ["POST", "PUT", "PATCH", "DELETE"]
    /// Different methods that are named of one value: no route allows so many.
    private static let maxMethods = 64

    /// The methods other than safe ones that a field or parameter asks for.
    package static func methods(named name: some Collection<UInt8>, value: some Collection<UInt8>) -> [String] {
        demand(of: name).map { methods(in: value, $0) } ?? []
    }

    /// The same for all parameters of a query or of a form's content.
    ///
    /// - Parameter limit: the number of parameters that are looked at; nil is returned where there are more.
    package static func methods(inParameters text: [UInt8], limit: Int) -> [String]? {
        var methods: [String] = []
        let isWhole = URLParameters.each(
            of: text, isSeparator: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: ";") }, limit: limit
        ) { name, value in
            guard let demand = demand(ofParameter: name) else { return }
            methods += self.methods(in: FormCoding.decoded(Array(value)), demand)
        }
        return isWhole ? methods : nil
    }

    /// The same for a query, which is as short as its head.
    package static func methods(inQuery query: [UInt8]) -> [String] { methods(inParameters: query, limit: .max) ?? [] }

    /// What a name asks for; nil for most names, which takes no memory.
    package static func demand(of name: some Collection<UInt8>) -> Demand? {
        guard hasWord(name) else { return nil }
        // PHP and others cut a name at a NUL, and take `_method[x]` for a list of that name.
        let cut = name.prefix { $0 != 0 && $0 != UInt8(ascii: "[") }
        return [demand(ofExact: name), demand(ofExact: cut)].compactMap(\.self).max()
    }

    private static func demand(ofExact name: some Collection<UInt8>) -> Demand? {
        guard hasWord(name) else { return nil }
        let letters = letters(of: name)
        guard isMade(letters, of: words) else { return nil }
        let isPlainWord = (letters == method || letters == verb) && name.first.map { isLetter($0 | 0x20) } == true
        return isPlainWord ? .maybe : .method
    }

    private static func demand(ofParameter name: ArraySlice<UInt8>) -> Demand? {
        // Twice, since some servers decode text that a server in front has decoded. `+` stands for no letter.
        guard name.contains(UInt8(ascii: "%")) else { return demand(of: name) }
        return demand(of: FormCoding.decoded(FormCoding.decoded(Array(name))))
    }

    package static func methods(in value: some Collection<UInt8>, _ demand: Demand) -> [String] {
        var methods: [String] = []
        var token: [UInt8] = []
        func end() {
            guard !token.isEmpty else { return }
            let method = String(decoding: token, as: UTF8.self).uppercased()
            token.removeAll(keepingCapacity: true)
            if demand == .maybe ? unsafe.contains(method) : !safe.contains(method), !methods.contains(method) {
                methods.append(method)
            }
        }
        for byte in value {
            if isTokenByte(byte) { token.append(byte) } else { end() }
            if methods.count == maxMethods { return methods }
        }
        end()
        return methods
    }

    /// The letters of a name in small.
    static func letters(of name: some Collection<UInt8>) -> [UInt8] { name.map { $0 | 0x20 }.filter(isLetter) }

    static func isMade(_ letters: [UInt8], of words: [[UInt8]]) -> Bool {
        var rest = letters[...]
        while !rest.isEmpty {
            guard let word = words.first(where: { rest.starts(with: $0) }) else { return false }
            rest.removeFirst(word.count)
        }
        return true
    }

    /// Whether the letters of a name have `method` or `verb` in them.
    private static func hasWord(_ name: some Collection<UInt8>) -> Bool {
        // Neither word has its first letter a second time, so that a search goes on with nothing or with that.
        var (inMethod, inVerb) = (0, 0)
        for byte in name {
            let letter = byte | 0x20
            guard isLetter(letter) else { continue }
            inMethod = letter == method[inMethod] ? inMethod + 1 : letter == method[0] ? 1 : 0
            inVerb = letter == verb[inVerb] ? inVerb + 1 : letter == verb[0] ? 1 : 0
            if inMethod == method.count || inVerb == verb.count { return true }
        }
        return false
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }

    /// What may stand in a method that a server would take, and what it cannot be told to skip.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        isLetter(byte | 0x20) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte >= 0x80
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}
