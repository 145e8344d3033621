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
        let mark = out.count
        var copy = HeadCopy(bytes, from: field.line.lowerBound, authority: authority, client: client)
        guard rewrite(setCookie: field, settings: settings, in: &copy, to: &out),
            copy.upTo(field.line.upperBound, to: &out)
        else {
            out.truncate(to: mark)
            return false
        }
        if copy.isChanged { changes.insert(.setCookie) }
        return true
    }

    /// The same in a head that is being copied.
    static func rewrite(
        setCookie field: Field, settings: RewriteRules.Settings, in copy: inout HeadCopy, to out: inout Buffer
    ) -> Bool {
        guard settings.rewritesCookies || settings.usesJars else { return true }
        if !settings.usesJars, let fits = rewrite(ordinary: field, settings.addresses, in: &copy, to: &out) {
            return fits
        }
        guard copy.upTo(field.line.lowerBound, to: &out) else { return false }
        let mark = out.count
        guard
            appendPlanned(
                field, from: copy.bytes, settings: settings, authority: copy.authority, client: copy.client, to: &out)
        else { return false }
        copy.skip(to: field.line.upperBound, since: mark, in: out)
        return true
    }

    /// Appends the line, or those that it becomes; or a part of them and false.
    private static func appendPlanned(
        _ field: Field, from bytes: Span<UInt8>, settings: RewriteRules.Settings, authority: Span<UInt8>,
        client: ClientName, to out: inout Buffer
    ) -> Bool {
        let plan = SetCookiePlan(field, in: bytes, settings: settings, authority: authority, client: client)
        if plan.isRefused { return out.appendWhole(bytes.extracting(field.line)) }
        // Clients return a cookie without a name as its value alone, and that would then be read as name and value.
        if plan.cookie.name.isEmpty, plan.cookie.isOwn(bytes) { return true }
        if settings.usesJars {
            return CookieJar.append(
                plan, field, from: bytes, settings: settings, authority: authority, client: client, to: &out)
        }
        guard plan.isChanged || CookieName.needsEscape(bytes, plan.cookie.name, client: client) else {
            return out.appendWhole(bytes.extracting(field.line))
        }
        return SetCookieLine().append(
            plan, field, from: bytes, settings: settings, authority: authority, client: client, to: &out)
    }
}
