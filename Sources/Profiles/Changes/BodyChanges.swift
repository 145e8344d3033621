public import JSON
public import Patterns

/// What a route changes in bodies of one direction.
public struct BodyChanges: Hashable, Sendable {
    /// Edits of JSON, one after the other; the patch of `merge` comes first.
    public let json: [JSONEdits]
    /// Replacements in text, one after the other.
    public let text: [TextReplacement]
    /// Media types in small letters, such as `application/json` or `text/*`; empty for the usual ones of each kind.
    public let types: [String]

    /// nil where nothing is changed.
    init?(json: [JSONEdits], text: [TextReplacement], types: [String]) {
        if json.isEmpty, text.isEmpty { return nil }
        (self.json, self.text, self.types) = (json, text, types)
    }
}

extension BodyChanges {
    /// The members of `request` or `response` in an explanation, in the form of a profile.
    func writeMembers(to writer: inout JSONWriter) {
        for patch in json.compactMap(\.patch) {
            writer.key("merge")
            writer.value(patch.value)
        }
        let edits = json.filter { $0.patch == nil }
        if !edits.isEmpty { writer.array("json") { array in for edit in edits { array.object(edit.writeMembers) } } }
        for (key, isPattern) in [("text", false), ("regex", true)] {
            let texts = text.filter { $0.isPattern == isPattern }
            guard !texts.isEmpty else { continue }
            writer.object(key) {
                for text in texts { $0.member(text.text, String(decoding: text.replacement, as: UTF8.self)) }
            }
        }
        if !types.isEmpty { writer.member("types", types) }
    }
}
