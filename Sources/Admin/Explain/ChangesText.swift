import JSON
import Patterns
import Profiles

// What a route changes, in words.

extension RequestChanges {
    var text: String {
        var parts = path.mappings.map(\.text)
        parts += query.set.map { "sets ?\($0.name)=\($0.value)" } + query.remove.map { "removes ?\($0)" }
        return (parts + headers.parts + (body?.parts ?? [])).joined(separator: "; ")
    }
}

extension ResponseChanges {
    var text: String {
        let first: [String] =
            switch status {
            case nil: []
            case .all(let status)?: ["status \(status)"]
            case .each(let map)?: map.sorted { $0.key < $1.key }.map { "status \($0.value) for \($0.key)" }
            }
        return (first + headers.parts + (body?.parts ?? [])).joined(separator: "; ")
    }
}

extension MessageChange {
    var text: String {
        let sender = sender.map { "of the \($0.rawValue)" } ?? "of both"
        return "\(sender)\(condition == .any ? "" : ", on conditions"): \(body.parts.joined(separator: "; "))"
    }
}

extension BodyChanges {
    fileprivate var parts: [String] {
        let types = types.isEmpty ? "" : " in \(types.joined(separator: ", "))"
        let parts =
            json.flatMap(\.parts)
            + text.map { text in
                let replacement = String(decoding: text.replacement, as: UTF8.self)
                return "replaces \(text.isPattern ? "/\(text.text)/" : "\"\(text.text)\"") by \"\(replacement)\""
            }
        return parts.map { "body \($0)\(types)" }
    }
}

extension JSONEdits {
    fileprivate var parts: [String] {
        func text(_ placed: Placed) -> String { String(decoding: placed.value.text, as: UTF8.self) }
        let condition =
            conditions.isEmpty
            ? "" : " if " + conditions.map { "\($0.path.text) is \(text($0))" }.joined(separator: " and ")
        let patch = patch.map { ["merges \(String(decoding: $0.text, as: UTF8.self))"] } ?? []
        let parts =
            patch + remove.map { "removes \($0.text)" } + self.set.map { "sets \($0.path.text) = \(text($0))" }
            + append.map { "appends \(text($0)) to \($0.path.text)" }
            + increment.map { "adds \(text($0)) to \($0.path.text)" }
        return parts.map { $0 + condition }
    }
}

extension InjectionSettings {
    var text: String {
        let parts = [(head, "head"), (body, "body")].filter { !$0.0.isEmpty }
        return parts.map { "\($0.0.map(\.label).joined(separator: ", ")) at the end of the \($0.1)" }
            .joined(separator: "; ")
    }
}

extension HeaderChanges {
    fileprivate var parts: [String] {
        self.set.map { "sets \($0.name): \($0.value)" } + add.map { "adds \($0.name): \($0.value)" }
            + remove.map { "removes \($0)" }
    }
}
