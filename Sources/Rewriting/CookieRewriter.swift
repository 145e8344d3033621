public import Bytes
public import HTTP

/// Cookies on their way between an origin and the address that a client uses for it (RFC 6265bis).
///
/// Each function appends all that it was asked for, or nothing and false where it does not fit. Ranges of fields are
/// those of the bytes beside them.
public enum CookieRewriter {
    /// Appends an origin's Set-Cookie line so that the client takes the cookie and returns it.
    ///
    /// A line that needs no change goes on byte for byte. With jars it becomes several lines, or none where it is meant
    /// to pass for a cookie of Shunt.
    public static func append(
        setCookie field: Field, from bytes: Span<UInt8>, settings: RewriteRules.Settings, authority: Span<UInt8>,
        client: ClientName, to out: inout Buffer, changes: inout RewriteChanges
    ) -> Bool {
        guard settings.rewritesCookies || settings.usesJars else {
            return out.appendWhole(bytes.extracting(field.line))
        }
        if !settings.usesJars,
            let fits = append(
                ordinary: field, from: bytes, settings.addresses, authority: authority, client: client, to: &out,
                changes: &changes)
        {
            return fits
        }
        let plan = SetCookiePlan(field, in: bytes, settings: settings, authority: authority, client: client)
        if plan.isRefused { return out.appendWhole(bytes.extracting(field.line)) }
        // Clients return a cookie without a name as its value alone, and that would then be read as name and value.
        if plan.cookie.name.isEmpty, plan.cookie.isOwn(bytes) {
            changes.insert(.setCookie)
            return true
        }
        if settings.usesJars {
            guard
                CookieJar.append(
                    plan, field, from: bytes, settings: settings, authority: authority, client: client, to: &out)
            else { return false }
            changes.insert(.setCookie)
            return true
        }
        guard plan.isChanged || CookieName.needsEscape(bytes, plan.cookie.name, client: client) else {
            return out.appendWhole(bytes.extracting(field.line))
        }
        let mark = out.count
        guard
            SetCookieLine().append(
                plan, field, from: bytes, settings: settings, authority: authority, client: client, to: &out)
        else {
            out.truncate(to: mark)
            return false
        }
        changes.insert(.setCookie)
        return true
    }
}
