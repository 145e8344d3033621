internal import Bytes
internal import HTTP

/// One way of writing a Set-Cookie line of an origin.
struct SetCookieLine {
    /// The kinds of names that a cookie is kept under.
    enum Spelling {
        case plain
        /// In the jar that the response belongs to.
        case jar(CookieJar.Kind)
    }

    var spelling = Spelling.plain
    /// Deletes the cookie of that name, path and domain instead of setting it.
    var erases = false
    /// `/` is its path, not the origin's.
    var isRoot = false
    /// Scripts are not to see it even if the origin's may be seen.
    var isHidden = false

    /// Appends a part of the line or all of it; false if it does not fit.
    func append(
        _ plan: SetCookiePlan, _ field: Field, from bytes: Span<UInt8>, settings: RewriteRules.Settings,
        authority: Span<UInt8>, client: ClientName, to out: inout Buffer
    ) -> Bool {
        // Name, colon and spacing as they were sent.
        guard out.appendWhole(bytes.extracting(field.line.lowerBound..<field.value.lowerBound)),
            appendPair(plan, from: bytes, settings: settings, client: client, to: &out)
        else { return false }
        var cursor = SetCookieAttributes(plan.attributes)
        // The unchanged rest is copied at once.
        var run = plan.attributes.lowerBound..<plan.attributes.lowerBound
        while let attribute = cursor.attribute(bytes) {
            let segment = attribute.segment
            let action = action(for: attribute, plan, bytes, settings, authority, client)
            switch action {
            case .same:
                run = run.lowerBound..<segment.upperBound
                continue
            case .leftOut: guard out.appendWhole(bytes.extracting(run)) else { return false }
            case .domain(let range):
                guard out.appendWhole(bytes.extracting(run.lowerBound..<attribute.value.lowerBound)),
                    out.appendWhole(authority.extracting(range))
                else { return false }
            case .path(let range):
                guard out.appendWhole(bytes.extracting(run.lowerBound..<attribute.value.lowerBound)),
                    range.isEmpty ? out.appendWhole("/") : out.appendWhole(bytes.extracting(range))
                else { return false }
            }
            run = segment.upperBound..<segment.upperBound
        }
        guard out.appendWhole(bytes.extracting(run)) else { return false }
        return (!isRoot || out.appendWhole("; Path=/"))
            && (!isHidden || plan.isHTTPOnly || out.appendWhole("; HttpOnly"))
            && (!erases || out.appendWhole("; Max-Age=0")) && out.appendWhole("\r\n")
    }

    @inline(__always)
    private func action(
        for attribute: SetCookieAttributes.Attribute, _ plan: SetCookiePlan, _ bytes: Span<UInt8>,
        _ settings: RewriteRules.Settings, _ authority: Span<UInt8>, _ client: ClientName
    ) -> SetCookiePlan.Action {
        if erases, attribute.name == .expires || attribute.name == .maxAge { return .leftOut }
        if isRoot, attribute.name == .path { return .leftOut }
        return plan.action(for: attribute, in: bytes, settings: settings, authority: authority, client: client)
    }

    private func appendPair(
        _ plan: SetCookiePlan, from bytes: Span<UInt8>, settings: RewriteRules.Settings, client: ClientName,
        to out: inout Buffer
    ) -> Bool {
        switch spelling {
        case .plain:
            if !erases, plan.cookie.name.isEmpty { return out.appendWhole(bytes.extracting(plan.pair)) }
            guard CookieName.append(plain: plan.cookie.name, of: bytes, client: client, to: &out) else { return false }
        case .jar(let kind):
            guard CookieJar.append(kind, of: settings.jar, to: &out),
                out.appendWhole(bytes.extracting(plan.cookie.name))
            else { return false }
        }
        if erases { return out.appendWhole("=") }
        // The rest behind the name, spacing included, as it was sent.
        let rest = plan.cookie.name.isEmpty ? plan.cookie.value : plan.cookie.name.upperBound..<plan.pair.upperBound
        return (!plan.cookie.name.isEmpty || out.appendWhole("=")) && out.appendWhole(bytes.extracting(rest))
    }
}
