import Contracts

/// Android's manifest and network security configuration.
enum AndroidRules {
    static func findings(manifest: MarkupElement, _ place: String) -> [LintFinding] {
        manifest.children.filter { $0.name == "application" }.flatMap { application in
            [
                (LintFinding.Rule.debuggable, "debuggable"), (.cleartext, "usesCleartextTraffic"),
            ].compactMap { rule, name in
                let value = application[name] ?? application["android:" + name]
                guard let value, value != "false", value != "0" else { return nil }
                return LintFinding(rule: rule, place: place, line: application.line, message: "\(name) is \(value)")
            }
        }
    }

    /// All but what counts in debuggable builds alone.
    static func findings(configuration: MarkupElement, _ place: String) -> [LintFinding] {
        configuration.children.filter { $0.name != "debug-overrides" }.flatMap { findings(in: $0, place) }
    }

    private static func findings(in element: MarkupElement, _ place: String) -> [LintFinding] {
        func finding(_ rule: LintFinding.Rule, _ message: String) -> LintFinding {
            LintFinding(rule: rule, place: place, line: element.line, message: message)
        }
        func isOn(_ name: String) -> Bool { element[name].map { !["false", "0"].contains($0.lowercased()) } ?? false }
        var findings: [LintFinding] = []
        if isOn("cleartextTrafficPermitted") {
            findings.append(finding(.cleartext, "cleartextTrafficPermitted in \(element.name)"))
        }
        if element.name == "certificates" {
            if element["src"] == "user" { findings.append(finding(.userAuthorities, "certificates src=\"user\"")) }
            if element["src"]?.hasPrefix("@raw/shunt") == true {
                findings.append(finding(.shuntAuthority, "certificates src=\"\(element["src"] ?? "")\""))
            }
            if isOn("overridePins") { findings.append(finding(.overriddenPins, "overridePins is on")) }
        }
        return findings + element.children.flatMap { self.findings(in: $0, place) }
    }
}
