import JSON

/// What a route has under `rewrite`; everything but bodies and `Clear-Site-Data` without the key.
func decodeRewrite(_ fields: Fields) -> RewriteSettings {
    var settings = RewriteSettings()
    guard let member = fields.member("rewrite") else { return settings }
    if let isOn = member.value.bool { return isOn ? settings : .none }
    guard member.value.object != nil else {
        fields.wrongKind("rewrite", member.value, "true, false, or an object like { \"bodies\": true }")
        return settings
    }
    guard
        let rewrite = Fields(
            member.value, "the \"rewrite\" of a route", keys: ProfileKeys.rewrite.map(\.name), fields.reporter)
    else { return settings }
    for (name, path) in ProfileKeys.rewrite {
        if let isOn = rewrite.bool(name) { settings[keyPath: path] = isOn }
    }
    return settings
}
