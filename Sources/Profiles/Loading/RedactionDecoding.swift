import JSON

/// What a profile has under `redact`; empty without the key, and after a report.
func decodeRedaction(_ fields: Fields) -> RedactionSettings {
    var settings = RedactionSettings()
    guard let value = fields["redact"],
        let redact = Fields(value, "\"redact\"", keys: ProfileKeys.redact, fields.reporter)
    else { return settings }
    settings.fields = names(redact, "fields", "a field's name like \"X-Device-Id\"") { name, _ in isToken(name) }
    settings.parameters = names(redact, "parameters", "a parameter's name like \"otp\"") { name, _ in !name.isEmpty }
    settings.json = names(redact, "json", "a member like \"pin\" or \"card.number\"") { name, _ in
        name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
    }
    settings.keep = names(redact, "keep", "a name like \"Authorization\"") { name, place in
        guard !name.isEmpty, name.allSatisfy({ $0 == "*" }) else { return !name.isEmpty }
        redact.reporter.report(
            place, "\"\(name)\" among \"keep\", which would keep every secret", expected: "names",
            hint: "`--keep-secrets` does that, for one run")
        return nil
    }
    settings.jwtClaims = redact.bool("jwtClaims")
    return settings
}

/// - Parameter isFine: nil if it has reported already what is wrong.
private func names(
    _ fields: Fields, _ key: String, _ one: String, _ isFine: (String, JSONPosition) -> Bool?
) -> [String] {
    var names: [String] = []
    for (name, place) in fields.texts(key, "an array of names", one: one) {
        switch isFine(name, place) {
        case true?: if !names.contains(name) { names.append(name) }
        case false?: fields.reporter.report(place, "\"\(name)\" among \"\(key)\"", expected: one)
        case nil: break
        }
    }
    return names
}
