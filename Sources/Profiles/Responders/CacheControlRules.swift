import JSON

/// What a route says of how long browsers may keep its files.
public struct CacheControlRules: Sendable, Hashable {
    private struct Rule: Hashable {
        /// With `*` for any bytes; nil fits all.
        let pattern: [UInt8]?
        let value: [UInt8]
    }

    /// The first that fits counts.
    private var rules: [Rule] = []

    init() {}

    /// Asked for again each time, so that a changed file counts at once.
    private static let usual = Array("no-cache".utf8)

    /// The field's value for a file.
    /// - Parameter path: within the folder.
    public func value(for path: [UInt8]) -> [UInt8] {
        if rules.isEmpty { return Self.usual }
        let name = path[(path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...]
        let rule = rules.first { rule in
            guard let pattern = rule.pattern else { return true }
            return Self.fits(pattern.contains(UInt8(ascii: "/")) ? path[...] : name, pattern[...])
        }
        return rule?.value ?? Self.usual
    }

    /// Goes back to the last star alone, so that the time is bounded by the product of both lengths.
    private static func fits(_ text: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
        var (at, place) = (text.startIndex, pattern.startIndex)
        var retry: (at: Int, place: Int)?
        while at < text.endIndex {
            if place < pattern.endIndex, pattern[place] == UInt8(ascii: "*") {
                retry = (at, place + 1)
                place += 1
            } else if place < pattern.endIndex, pattern[place] == text[at] {
                (at, place) = (at + 1, place + 1)
            } else if let last = retry {
                retry = (last.at + 1, last.place)
                (at, place) = (last.at + 1, last.place)
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}

extension CacheControlRules {
    static let expected =
        "a value like \"no-cache\", or an object like { \"assets/*\": \"max-age=31536000, immutable\" }"

    /// The rules under `cacheControl`, without those that are reported.
    init(_ value: JSONValue, _ route: Fields) {
        guard value.string == nil else {
            rules = [Self.rule(nil, value, route)].compactMap(\.self)
            return
        }
        rules = route.object("cacheControl").compactMap { member in
            guard !member.key.isEmpty, !member.key.hasPrefix("/") else {
                return route.refuse(
                    member, "\"\(member.key)\" under \"cacheControl\" fits no file",
                    expected: "a file's name or its path within the folder, with `*` for anything",
                    hint: "for example \"*.html\" or \"assets/*\"")
            }
            return Self.rule(Array(member.key.utf8), member.value, route)
        }
    }

    private static func rule(_ pattern: [UInt8]?, _ value: JSONValue, _ route: Fields) -> Rule? {
        if let text = value.string, !text.isEmpty, isFieldValue(text) {
            return Rule(pattern: pattern, value: Array(text.utf8))
        }
        return route.refuse(
            value, "a value under \"cacheControl\" cannot be sent",
            expected: "directives like \"no-cache\", without control characters")
    }
}
