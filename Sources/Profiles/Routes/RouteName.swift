import JSON

/// The name of a route that Shunt responds to itself, by which it is switched on and off; nil without the key.
func decodeRouteName(_ fields: Fields) -> String? {
    guard let value = fields["name"], let name = fields.string("name") else { return nil }
    if RouteNames.isName(name) { return name }
    return fields.refuse(
        value, "\"\(name)\" is no name for a route",
        expected: "up to 64 letters, digits, `-`, `_` and `.`, the first a letter or a digit")
}

/// Names of the routes of one file.
enum RouteNames {
    static func isName(_ text: String) -> Bool {
        let isPlain: (UInt8) -> Bool = { PathBytes.isUnreserved($0) && $0 != UInt8(ascii: "~") }
        return (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isPlain)
            && !"-_.".utf8.contains(text.utf8.first ?? 0)
    }

    /// A name for each route that has none: of its path, or where others have the same path of its method and host too.
    ///
    /// - Parameter taken: names that routes have.
    static func made(for patterns: [RoutePattern], taken: Set<String>) -> [String] {
        var names = patterns.map { cleaned("\($0.path)") }
        let spellings: [(RoutePattern) -> String] = [
            { "\($0.methods.joined(separator: "-").lowercased())-\($0.path)" },
            { "\($0.methods.joined(separator: "-").lowercased())-\($0.host)\($0.path)" },
        ]
        for spelling in spellings {
            let counts = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
            for (at, name) in names.enumerated() where counts[name, default: 0] > 1 || taken.contains(name) {
                names[at] = cleaned(spelling(patterns[at]))
            }
        }
        var used = taken
        var numbers: [String: Int] = [:]
        for (at, name) in names.enumerated() {
            var candidate = name
            while !used.insert(candidate).inserted {
                numbers[name, default: 1] += 1
                candidate = "\(name)-\(numbers[name, default: 2])"
            }
            names[at] = candidate
        }
        return names
    }

    /// The letters and digits of a pattern, with `-` for what stands between them.
    private static func cleaned(_ text: String) -> String {
        let isPlain: (UInt8) -> Bool = { PathBytes.isUnreserved($0) && $0 != UInt8(ascii: "~") }
        let isMark: (UInt8) -> Bool = { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".") }
        var name: [UInt8] = []
        for byte in text.utf8 where name.count < 64 {
            if isPlain(byte), !name.isEmpty || !isMark(byte) {
                name.append(byte)
            } else if !name.isEmpty, name.last != UInt8(ascii: "-") {
                name.append(UInt8(ascii: "-"))
            }
        }
        while let last = name.last, isMark(last) { name.removeLast() }
        return name.isEmpty ? "all" : String(decoding: name, as: UTF8.self)
    }
}
