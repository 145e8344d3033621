import JSON

/// The names of programs of this machine, as profiles and commands have them.
public enum AppName {
    /// What is wrong with a name; nil where it may be one.
    public static func fault(in name: String) -> String? {
        if name.isEmpty { return "it is empty" }
        if name.utf8.count > 200 { return "it is longer than 200 bytes" }
        if name.contains("/") { return "it has a `/`: the name of a program is the last part of its path" }
        let isControl = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        return isControl ? "it has a control character" : nil
    }
}

func decodeApps(_ fields: Fields) -> [(name: String, place: JSONPosition)] {
    fields.texts("apps", one: "the name of a program like \"curl\"").filter { item in
        guard let fault = AppName.fault(in: item.text) else { return true }
        fields.report(
            item.place, "\"\(item.text)\" names no program: \(fault)", expected: "a name like \"curl\" or \"tests.py\"")
        return false
    }.map { ($0.text, $0.place) }
}

extension Compiler {
    /// Reports programs that several profiles name.
    func checkApps() {
        var owners: [String: String] = [:]
        for source in sources {
            for level in levels(of: source) {
                for app in level.apps ?? [] {
                    guard let owner = owners[app.name], owner != source.name else {
                        owners[app.name] = source.name
                        continue
                    }
                    level.reporter(problems).report(
                        app.place, "the program \"\(app.name)\" belongs to the profile \"\(owner)\" already",
                        expected: "it in one of them")
                }
                if level.apps != nil { break }
            }
        }
    }
}
