import JSON

/// Decodes the responder of a route; nil after a report.
func decodeResponse(_ fields: Fields, _ writing: RouteWriting) -> RouteSource.Response? {
    let reporter = fields.reporter
    let first = LocalResponders.first(fields)
    let local = first != nil ? nil : LocalResponders.kinds.first { fields[$0.key] != nil }
    reportKeys(fields, beside: first ?? local)
    if let fallback = fields.member("fallback"), local == nil, fields["origin"]?.array == nil {
        reporter.report(
            fallback, "\"fallback\" where there is nothing to fall back to", expected: "it beside an array of origins",
            hint: "for example \(OriginCandidate.example)")
    }
    let preserveHost = fields.bool("preserveHost") ?? false
    if let first, fields["origin"] == nil {
        return first.impliedOrigin(fields).map { .origin($0, preserveHost: preserveHost) }
    }
    switch (fields["origin"], local) {
    case (nil, nil):
        // What a fault leaves of a request goes the way that it would go without the session.
        if case .session(let base) = writing, fields["fault"] != nil || fields["network"] != nil {
            return .chain([.profile(base, place: fields.place)], preserveHost: false, FallbackSettings())
        }
        return reporter.refuse(
            fields.place, "the route has nothing that responds", expected: LocalResponders.alternatives,
            hint: "for example \"origin\": \"https://localhost:3000\"")
    case (_?, let local?):
        if let member = fields.member(local.key) {
            reporter.report(
                member, "the route has an origin and \(local.noun)", expected: "one of them", hint: local.originHint)
        }
        return nil
    case (nil, let local?): return local.decode(fields).map { .local($0) }
    case (let value?, nil):
        var fallback = FallbackSettings()
        FallbackSettings.keys.read("fallback", of: fields, into: &fallback)
        let proxy = decodeOriginProxy(fields)
        guard var candidates = decodeCandidates(value, isAlone: first == nil, writing, reporter) else { return nil }
        if let proxy { candidates = candidates.map { $0.reached(by: proxy) } }
        if candidates.count == 1, case .origin(let url) = candidates[0] {
            return .origin(url, preserveHost: preserveHost)
        }
        return .chain(candidates, preserveHost: preserveHost, fallback)
    }
}

/// Reports keys that say nothing beside what responds.
///
/// - Parameter local: the kind that responds, alone or before an origin; nil for an origin alone.
private func reportKeys(_ fields: Fields, beside local: (any LocalSettingsDecoding.Type)?) {
    let hasOrigin = fields["origin"] != nil
    guard local != nil || hasOrigin else { return }
    let isFirst = local?.precedesOrigin(fields) == true
    let present = (hasOrigin || isFirst ? ["origin"] : []) + (local.map { [$0.key] } ?? [])
    let noun = hasOrigin && (local == nil || isFirst) ? "an origin" : local?.noun ?? ""
    for member in fields.members {
        guard let beside = DecodedRoute.keys[member.key]?.beside else { continue }
        if beside.responders.contains(where: present.contains), !(beside.isAlone && hasOrigin) { continue }
        fields.report(
            member, "\"\(member.key)\" beside \(noun)",
            expected: beside.responders == [member.key] ? "one of them" : beside.expected, hint: beside.hint)
    }
}

/// One origin, or all of a chain; nil after a report.
///
/// - Parameter isAlone: nothing else responds for the route, so that one profile makes no sense in a file.
private func decodeCandidates(
    _ value: JSONValue, isAlone: Bool, _ writing: RouteWriting, _ reporter: Reporter
) -> [OriginCandidate]? {
    guard let items = value.array else {
        guard let candidate = decodeCandidate(value, "\"origin\" is \(value.kindName)", writing, reporter)
        else { return nil }
        if case .profile(let name, _) = candidate, isAlone, writing.isFile {
            return reporter.refuse(
                value, "\"profile:\(name)\" is all that responds",
                expected: "an origin's URL, or several in an array: \(OriginCandidate.example)",
                hint: "what no route matches goes to the profile under \"extends\"")
        }
        return [candidate]
    }
    guard items.count >= 2 else {
        return reporter.refuse(
            value, "\"origin\" is an array of \(items.count)", expected: "two or more that are asked in turn",
            hint: items.isEmpty ? nil : "one alone needs no array")
    }
    let candidates = items.map {
        decodeCandidate($0, "an origin is \($0.kindName)", writing, reporter)
    }
    return candidates.contains { $0 == nil } ? nil : candidates.compactMap(\.self)
}

private func decodeCandidate(
    _ value: JSONValue, _ message: String, _ writing: RouteWriting, _ reporter: Reporter
) -> OriginCandidate? {
    if value.object != nil { return ProgramSettings.decode(value, writing, reporter).map { .origin($0) } }
    guard let text = value.string else {
        return reporter.refuse(value, message, expected: DecodedRoute.keys.expected(of: "origin"))
    }
    if text.hasPrefix(OriginCandidate.prefix) {
        return .profile(String(text.dropFirst(OriginCandidate.prefix.count)), place: value.position)
    }
    return reporter.attempt(value.position) { () throws(Refusal) in .origin(try OriginURL(parsing: text)) }
}
