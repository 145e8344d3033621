import Bytes
internal import HTTP

/// A Set-Cookie value, and how it is rewritten.
struct SetCookiePlan {
    /// `name=value`, up to the first `;`.
    let pair: Range<Int>
    let cookie: CookiePair
    /// From the first `;` on.
    let attributes: Range<Int>
    private(set) var isHTTPOnly = false
    /// Clients keep it apart for each site that embeds the host.
    private(set) var isPartitioned = false
    /// An attribute goes on changed, or not at all.
    private(set) var isChanged = false
    /// The Domain that clients see, as a range of the authority; nil for a cookie of one host.
    private(set) var domain: Range<Int>?
    /// Its attributes do not fulfil its name's prefix: clients refuse it (RFC 6265bis 5.7).
    private(set) var isRefused = false

    /// How the last Domain is changed, which nearly always is the only one.
    private var domainAction = Action.same
    private var domains = 0

    /// How one attribute is changed.
    enum Action {
        case same, leftOut
        /// A range of the authority takes the value's place.
        case domain(Range<Int>)
        /// A range of the line takes the value's place; `/` if it is empty.
        case path(Range<Int>)
    }

    init(
        _ field: Field, in bytes: Span<UInt8>, settings: RewriteRules.Settings, authority: Span<UInt8>,
        client: ClientName
    ) {
        let end = field.value.upperBound
        let stop = CookieText.first(0x3B, in: bytes, field.value)
        pair = field.value.lowerBound..<stop
        attributes = stop..<end
        cookie = CookiePair(bytes, pair)
        var isSecure = false
        var isRoot = false
        var cursor = SetCookieAttributes(attributes)
        while let attribute = cursor.attribute(bytes) {
            switch attribute.name {
            case .secure: isSecure = true
            case .httpOnly: isHTTPOnly = true
            case .path: isRoot = attribute.value.count == 1 && bytes[attribute.value.lowerBound] == 0x2F
            case .domain: domains += 1
            case .other, .sameSite, .expires, .maxAge: break
            case .partitioned: isPartitioned = client.isSecure || !settings.rewritesCookies
            }
            let action = Self.action(
                for: attribute, in: bytes, settings: settings, authority: authority, client: client)
            if attribute.name == .domain { domainAction = action }
            switch action {
            case .same:
                if attribute.name == .domain { domain = Self.suffix(attribute.value, in: bytes, authority, client) }
            case .leftOut:
                isChanged = true
                if attribute.name == .domain { domain = nil }
            case .domain(let range):
                isChanged = true
                domain = range
            case .path: isChanged = true
            }
        }
        switch CookieName.prefix(bytes, cookie.name) {
        case .none: break
        case .secure: isRefused = !isSecure
        case .host: isRefused = !isSecure || !isRoot || domains > 0
        case .http: isRefused = !isSecure || !isHTTPOnly
        }
    }

    /// How an attribute is changed, without judging a Domain twice.
    @inline(__always)
    func action(
        for attribute: SetCookieAttributes.Attribute, in bytes: Span<UInt8>, settings: RewriteRules.Settings,
        authority: Span<UInt8>, client: ClientName
    ) -> Action {
        attribute.name == .domain && domains == 1
            ? domainAction
            : Self.action(for: attribute, in: bytes, settings: settings, authority: authority, client: client)
    }

    /// RFC 6265bis 5.7: Secure for secure clients only, and SameSite=None and Partitioned only with it.
    @inline(__always)
    private static func action(
        for attribute: SetCookieAttributes.Attribute, in bytes: Span<UInt8>, settings: RewriteRules.Settings,
        authority: Span<UInt8>, client: ClientName
    ) -> Action {
        settings.rewritesCookies
            ? action(for: attribute, in: bytes, settings.addresses, authority: authority, client: client) : .same
    }

    /// The same where cookies are rewritten.
    @inline(__always)
    static func action(
        for attribute: SetCookieAttributes.Attribute, in bytes: Span<UInt8>, _ addresses: AddressMap?,
        authority: Span<UInt8>, client: ClientName
    ) -> Action {
        switch attribute.name {
        case .other, .httpOnly, .expires, .maxAge: return .same
        case .secure, .partitioned: return client.isSecure ? .same : .leftOut
        case .sameSite:
            return client.isSecure || !CookieText.spells(bytes, attribute.value, "none") ? .same : .leftOut
        case .domain:
            guard let addresses else { return .same }
            switch CookieDomain.outcome(
                of: attribute.value, in: bytes, own: addresses, authority: authority, client: client)
            {
            case .same: return .same
            case .leftOut: return .leftOut
            case .replaced(let range): return .domain(range)
            }
        case .path: return addresses.map { path(attribute.value, in: bytes, below: $0) } ?? .same
        }
    }

    /// Paths below an origin's base path are below `/` for clients.
    private static func path(_ value: Range<Int>, in bytes: Span<UInt8>, below addresses: AddressMap) -> Action {
        let base = addresses.own.basePath
        guard !base.isEmpty, value.count >= base.count else { return .same }
        let end = value.lowerBound + base.count
        guard AddressText.isEqual(bytes, value.lowerBound..<end, addresses.text, base),
            end == value.upperBound || bytes[end] == 0x2F
        else { return .same }
        return .path(end..<value.upperBound)
    }

    /// Where a Domain stands in the client's name, if it is the host or a parent of it.
    private static func suffix(
        _ value: Range<Int>, in bytes: Span<UInt8>, _ authority: Span<UInt8>, _ client: ClientName
    ) -> Range<Int>? {
        var value = value
        if let first = value.first, bytes[first] == 0x2E { value = first + 1..<value.upperBound }
        let start = client.hostLength - value.count
        guard !value.isEmpty, start >= 0, client.hostLength <= authority.count,
            start == 0 || authority[start - 1] == 0x2E
        else { return nil }
        for offset in 0..<value.count
        where ByteSearch.lowercased(bytes[value.lowerBound + offset])
            != ByteSearch.lowercased(authority[start + offset])
        {
            return nil
        }
        return start..<client.hostLength
    }
}
