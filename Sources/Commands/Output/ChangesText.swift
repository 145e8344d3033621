import Profiles

// What a route changes, in words.

extension RequestChanges {
    var text: String {
        var parts = path.mappings.map(\.text)
        parts += query.set.map { "sets ?\($0.name)=\($0.value)" } + query.remove.map { "removes ?\($0)" }
        return (parts + headers.parts).joined(separator: "; ")
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
        return (first + headers.parts).joined(separator: "; ")
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
