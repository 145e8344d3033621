internal import Bytes
internal import HTTP

extension CookieJar {
    /// Whether the cookie goes to the environment's origin.
    private func isSent(_ cookie: Cookie, in bytes: Span<UInt8>, settings: RewriteRules.Settings) -> Bool {
        switch cookie.owner {
        case .plain: return cookie.verdict == .known || cookie.verdict == .news
        case .own(.hidden): return true
        case .other: return false
        case .own(.visible(let scope)):
            if keeps(cookie.name, isHidden: true, in: bytes) { return false }
            guard isAtHome(scope, in: bytes, settings: settings) else { return true }
            let standing = standing(of: cookie, in: bytes)
            // If the plain name only has another environment's cookie, the kept twin replaces it.
            return standing.isThere && !standing.isKnown && standing.news == nil
        }
    }

    /// Appends the one Cookie line that the environment's origin gets, in place of the request's lines; nothing without
    /// a cookie.
    ///
    /// False if it does not fit; a part was appended then.
    func appendRequest(
        from bytes: Span<UInt8>, settings: RewriteRules.Settings, to out: inout Buffer
    ) -> Bool {
        var isFirst = true
        for cookie in cookies where isSent(cookie, in: bytes, settings: settings) {
            guard out.appendWhole(isFirst ? "Cookie: " : "; "), out.appendWhole(bytes.extracting(cookie.name)),
                cookie.name.isEmpty || out.appendWhole("="), out.appendWhole(bytes.extracting(cookie.value))
            else { return false }
            isFirst = false
        }
        return isFirst || out.appendWhole("\r\n")
    }

    /// Whether all cookies of a request are the environment's, under their own names.
    func isUnchanged(in bytes: Span<UInt8>) -> Bool {
        for cookie in cookies {
            guard cookie.owner == .plain, cookie.verdict == .news, cookie.spelled == cookie.name else { return false }
        }
        return cookies.count < Self.maxCookies && !cookies.isEmpty && scopes == 1 && markers[0].isEmpty
    }
}
