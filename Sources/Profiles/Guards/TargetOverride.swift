/// Finds fields that ask a server to take a request for one of another path: `X-Original-URL`, `X-Rewrite-URL` and the
/// like.
package enum TargetOverride {
    /// A name counts by its letters alone, and is made of these words, one of each list at least.
    private static let nouns = ["url", "uri", "path", "target"].map { Array($0.utf8) }
    private static let marks = [
        "original", "override", "rewrite", "forwarded", "destination", "http", "real", "proxy",
    ].map { Array($0.utf8) }
    private static let words = nouns + marks + [Array("x".utf8)]

    package static func isNamed(_ name: [UInt8]) -> Bool {
        let letters = MethodOverride.letters(of: name)
        guard MethodOverride.isMade(letters, of: words) else { return false }
        return isAny(of: nouns, in: letters) && isAny(of: marks, in: letters)
    }

    private static func isAny(of words: [[UInt8]], in letters: [UInt8]) -> Bool {
        words.contains { word in letters.indices.contains { letters[$0...].starts(with: word) } }
    }
}
