/// Finds fields that ask a server to take a request for one of another path: `X-Original-URL`, `X-Rewrite-URL` and the
/// like.
package enum TargetOverride {
    /// A name counts by its letters alone, and is made of these words, one of each list at least.
    private static let nouns = ["url", "uri", "path", "target"]
    private static let marks = ["original", "override", "rewrite", "forwarded", "destination", "http", "real", "proxy"]

    package static func isNamed(_ name: [UInt8]) -> Bool {
        let letters = MethodOverride.letters(of: name)
        return nouns.contains { letters.contains($0) } && marks.contains { letters.contains($0) }
            && MethodOverride.isMade(letters, of: nouns + marks + ["x"])
    }
}
