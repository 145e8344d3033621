import JSON
import Patterns

/// Objects under `json`, and texts under `text` and `regex` each, at most.
private let maxRules = 32
/// Bytes of a text that is looked for.
private let maxText = 4096
/// Steps that a regular expression may take.
private let maxSteps = 500

/// What a message has under `json`, `merge`, `text`, `regex` and `types`; nil where it changes no body.
func decodeBodyChanges(_ message: Fields) -> BodyChanges? {
    var json: [JSONEdits] = []
    if let patch = message["merge"] {
        if patch.object != nil {
            var edits = JSONEdits()
            edits.patch = JSONLiteral(patch)
            json.append(edits)
        } else {
            message.wrongKind("merge", patch)
        }
    }
    json += decodeEdits(message)
    let changes = BodyChanges(
        json: json, text: decodeTexts(message) + decodePatterns(message), types: decodeTypes(message))
    let hasOthers = ["merge", "json", "text", "regex"].contains { message[$0] != nil }
    if !hasOthers, let types = message["types"] {
        message.report(types, "\"types\" without a change of bodies", expected: "json, merge, text or regex beside it")
    }
    return changes
}

// MARK: JSON

private func decodeEdits(_ message: Fields) -> [JSONEdits] {
    guard let value = message["json"] else { return [] }
    let items = value.array ?? [value]
    guard items.count <= maxRules else {
        message.report(value, "\(items.count) objects under \"json\"", expected: "at most \(maxRules)")
        return []
    }
    return items.compactMap { item in
        guard let fields = Fields(item, JSONEdits.keys, message.reporter) else { return nil }
        var edits = JSONEdits()
        edits.conditions = placed("if", fields)
        edits.set = placed("set", fields)
        edits.append = placed("append", fields)
        edits.increment = placed("increment", fields)
        for member in fields.object("increment") where member.value.number == nil {
            fields.report(
                member.value, "\"\(member.key)\" is incremented by \(member.value.kindName)",
                expected: "a number, which may be negative")
        }
        for (text, place) in fields.texts("remove", one: "a path like \"$.debug\"") {
            guard let path = path(text, place, fields) else { continue }
            if path.steps.isEmpty {
                fields.report(
                    place, "\"$\" is the whole text, which cannot be removed", expected: "a path like \"$.debug\"")
            } else {
                edits.remove.append(path)
            }
        }
        if edits.isEmpty, fields.members.allSatisfy({ $0.key == "if" }) {
            fields.report(
                fields.place, "an object under \"json\" that changes nothing",
                expected: "set, remove, append or increment")
        }
        return edits.isEmpty ? nil : edits
    }
}

/// The members under a key, by their paths.
private func placed(_ key: String, _ fields: Fields) -> [JSONEdits.Placed] {
    fields.object(key).compactMap { member in
        path(member.key, member.keyPosition, fields).map { JSONEdits.Placed($0, JSONLiteral(member.value)) }
    }
}

private func path(_ text: String, _ place: JSONPosition, _ fields: Fields) -> JSONPath? {
    if let path = JSONPath(text), path.steps.count <= NestingLimit.values { return path }
    return fields.refuse(
        place, "\"\(text)\" is no path in JSON",
        expected: "a path like \"$.user.name\", \"$.items[0]\" or \"$.items[*].price\"",
        hint: text.hasPrefix("$") ? "a name with other characters is written [\"like this\"]" : "it begins with `$`")
}

// MARK: Text

private func decodeTexts(_ message: Fields) -> [TextReplacement] {
    texts("text", message).map { TextReplacement(text: $0.text, by: $0.replacement) }
}

private func decodePatterns(_ message: Fields) -> [TextReplacement] {
    texts("regex", message).compactMap { text, replacement, place in
        do throws(PatternFailure) {
            return try TextReplacement(pattern: text, by: replacement, limit: maxSteps)
        } catch {
            // Behind the quote; escapes in front of it move it.
            return message.refuse(
                JSONPosition(offset: place.offset, line: place.line, column: place.column + 1 + error.index),
                "the regular expression \"\(text)\": \(error.message)", expected: error.expected)
        }
    }
}

private func texts(_ key: String, _ message: Fields) -> [(text: String, replacement: String, place: JSONPosition)] {
    let members = message.object(key)
    guard members.count <= maxRules else {
        message.report(members[maxRules], "\(members.count) texts under \"\(key)\"", expected: "at most \(maxRules)")
        return []
    }
    return members.compactMap { member in
        guard !member.key.isEmpty, member.key.utf8.count <= maxText else {
            message.reporter.report(
                member.keyPosition,
                member.key.isEmpty
                    ? "nothing to be found under \"\(key)\"" : "a text of \(member.key.utf8.count) bytes",
                expected: "a text of 1 to \(maxText) bytes")
            return nil
        }
        guard let replacement = member.value.string else {
            return message.refuse(
                member.value, "\"\(member.key)\" is replaced by \(member.value.kindName)",
                expected: "a text, \"\" to remove it")
        }
        return (member.key, replacement, member.keyPosition)
    }
}

// MARK: Media types

private func decodeTypes(_ message: Fields) -> [String] {
    message.texts("types", one: "a media type like \"application/json\", or \"text/*\"").compactMap { text, place in
        let parts = text.lowercased().split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0 == "*" || isToken(String($0)) }),
            !text.hasPrefix("*/") || text == "*/*"
        else {
            return message.refuse(
                place, "\"\(text)\" is no media type", expected: "one like \"application/json\", \"text/*\" or \"*/*\"")
        }
        return text.lowercased()
    }
}
