import JSON

private let url = "a URL like \"https://localhost:3000\""

/// Decodes the responder of a route; nil after a report.
///
/// - Parameter isForRun: a single profile may be the responder.
func decodeResponse(_ fields: Fields, isForRun: Bool) -> RouteSource.Response? {
    let reporter = fields.reporter
    let first = LocalResponders.first(fields)
    let local = first != nil ? nil : LocalResponders.kinds.first { fields[$0.key] != nil }
    if let local { reportNeedless(fields, beside: local) }
    if let fallback = fields.member("fallback"), local == nil, fields["origin"]?.array == nil {
        reporter.report(
            fallback.keyPosition, "\"fallback\" where there is nothing to fall back to",
            expected: "it beside an array of origins", hint: "for example \(OriginCandidate.example)")
    }
    let preserveHost = fields.bool("preserveHost") ?? false
    if let first, fields["origin"] == nil {
        for kind in LocalResponders.kinds where kind != first { reportKeys(of: kind, in: fields, beside: first.noun) }
        return first.impliedOrigin(fields).map { .origin($0, preserveHost: preserveHost) }
    }
    switch (fields["origin"], local) {
    case (nil, nil):
        reporter.report(
            fields.place, "the route has nothing that responds", expected: LocalResponders.alternatives,
            hint: "for example \"origin\": \"https://localhost:3000\"")
        return nil
    case (_?, let local?):
        if let member = fields.member(local.key) {
            reporter.report(
                member.keyPosition, "the route has an origin and \(local.noun)", expected: "one of them",
                hint: local.originHint)
        }
        return nil
    case (nil, let local?): return local.decode(fields).map { .local($0) }
    case (let value?, nil):
        if let name = fields.member("name") {
            reporter.report(
                name.keyPosition, "\"name\" beside an origin",
                expected: "it beside what is switched on and off: \(LocalResponders.switchable)")
        }
        for kind in LocalResponders.kinds where kind != first {
            reportKeys(of: kind, in: fields, beside: "an origin")
        }
        let fallback = decodeFallback(fields)
        let proxy = decodeOriginProxy(fields)
        guard var candidates = decodeCandidates(value, isAlone: !isForRun && first == nil, reporter) else {
            return nil
        }
        if let proxy { candidates = candidates.map { $0.reached(by: proxy) } }
        if candidates.count == 1, case .origin(let url) = candidates[0] {
            return .origin(url, preserveHost: preserveHost)
        }
        return .chain(candidates, preserveHost: preserveHost, fallback)
    }
}

/// Settings of origins, and of other kinds, say nothing beside this one.
private func reportNeedless(_ fields: Fields, beside local: any LocalSettingsDecoding.Type) {
    for (key, hint) in [
        ("preserveHost", nil), ("fallback", nil), ("proxy", "there is no origin to be reached by it"),
        ("rewrite", "there is no origin whose addresses could be rewritten"),
        ("allow", "there is no origin to be guarded"), ("graphql", "there is no origin to be guarded"),
        ("request", "there is no origin to send a request to"),
    ] + RelaySettings.keys.map({ ($0, nil) }) {
        guard let member = fields.member(key), key != "rewrite" || local != RecordingSettings.self else { continue }
        fields.reporter.report(
            member.keyPosition, "\"\(key)\" beside \(local.noun)", expected: "it beside an origin", hint: hint)
    }
    for key in ["inject", "bridge"] {
        guard local == Redirect.self, let member = fields.member(key) else { continue }
        fields.reporter.report(
            member.keyPosition, "\"\(key)\" beside \(local.noun)", expected: "it beside an origin, a mock or files")
    }
    for other in LocalResponders.kinds where other != local {
        reportKeys(of: other, in: fields, beside: local.noun)
    }
}

private func reportKeys(of kind: any LocalSettingsDecoding.Type, in fields: Fields, beside what: String) {
    for key in kind.routeKeys {
        guard let member = fields.member(key) else { continue }
        fields.reporter.report(
            member.keyPosition, "\"\(key)\" beside \(what)",
            expected: key == kind.key ? "one of them" : "it beside \"\(kind.key)\"")
    }
}

/// One origin, or all of a chain; nil after a report.
///
/// - Parameter isAlone: nothing else responds for the route, so that one profile makes no sense.
private func decodeCandidates(_ value: JSONValue, isAlone: Bool, _ reporter: Reporter) -> [OriginCandidate]? {
    guard let items = value.array else {
        guard let candidate = decodeCandidate(value, "\"origin\" is \(value.kindName)", reporter) else { return nil }
        if case .profile(let name, _) = candidate, isAlone {
            reporter.report(
                value.position, "\"profile:\(name)\" is all that responds",
                expected: "an origin's URL, or several in an array: \(OriginCandidate.example)",
                hint: "what no route matches goes to the profile under \"extends\"")
            return nil
        }
        return [candidate]
    }
    guard items.count >= 2 else {
        reporter.report(
            value.position, "\"origin\" is an array of \(items.count)", expected: "two or more that are asked in turn",
            hint: items.isEmpty ? nil : "one alone needs no array")
        return nil
    }
    let candidates = items.map { decodeCandidate($0, "an origin is \($0.kindName)", reporter) }
    return candidates.contains { $0 == nil } ? nil : candidates.compactMap(\.self)
}

private func decodeCandidate(_ value: JSONValue, _ message: String, _ reporter: Reporter) -> OriginCandidate? {
    guard let text = value.string else {
        reporter.report(value.position, message, expected: "\(url), or an array: \(OriginCandidate.example)")
        return nil
    }
    if text.hasPrefix(OriginCandidate.prefix) {
        return .profile(String(text.dropFirst(OriginCandidate.prefix.count)), place: value.position)
    }
    return reporter.attempt(value.position) { () throws(Refusal) in .origin(try OriginURL(parsing: text)) }
}
