extension FieldName {
    /// The known name that `bytes` spell, in whatever case (RFC 9110 5.1), or `other`.
    public static func lookup(_ bytes: Span<UInt8>) -> FieldName { lookup(bytes, 0..<bytes.count) }

    /// By length first: what is left to compare are a few words.
    @inline(__always)
    static func lookup(_ bytes: Span<UInt8>, _ name: Range<Int>) -> FieldName {
        guard name.upperBound <= bytes.count else { return .other }
        let start = name.lowerBound
        switch name.count {
        case 2:
            if bytes.hasPrefix("te", at: start) { return .te }
        case 3:
            if bytes.hasPrefix("via", at: start) { return .via }
            if bytes.hasPrefix("age", at: start) { return .age }
            if bytes.hasPrefix("nel", at: start) { return .nel }
        case 4:
            if bytes.hasPrefix("host", at: start) { return .host }
            if bytes.hasPrefix("date", at: start) { return .date }
            if bytes.hasPrefix("etag", at: start) { return .etag }
            if bytes.hasPrefix("vary", at: start) { return .vary }
            if bytes.hasPrefix("link", at: start) { return .link }
        case 5:
            if bytes.hasPrefix("range", at: start) { return .range }
            if bytes.hasPrefix("allow", at: start) { return .allow }
        case 6:
            if bytes.hasPrefix("expect", at: start) { return .expect }
            if bytes.hasPrefix("cookie", at: start) { return .cookie }
            if bytes.hasPrefix("origin", at: start) { return .origin }
            if bytes.hasPrefix("accept", at: start) { return .accept }
            if bytes.hasPrefix("pragma", at: start) { return .pragma }
            if bytes.hasPrefix("server", at: start) { return .server }
            if bytes.hasPrefix("digest", at: start) { return .digest }
        case 7:
            if bytes.hasPrefix("trailer", at: start) { return .trailer }
            if bytes.hasPrefix("upgrade", at: start) { return .upgrade }
            if bytes.hasPrefix("referer", at: start) { return .referer }
            if bytes.hasPrefix("expires", at: start) { return .expires }
            if bytes.hasPrefix("alt-svc", at: start) { return .altSvc }
            if bytes.hasPrefix("refresh", at: start) { return .refresh }
        case 8:
            if bytes.hasPrefix("location", at: start) { return .location }
            if bytes.hasPrefix("if-match", at: start) { return .ifMatch }
            if bytes.hasPrefix("if-range", at: start) { return .ifRange }
        case 9:
            if bytes.hasPrefix("forwarded", at: start) { return .forwarded }
            if bytes.hasPrefix("x-real-ip", at: start) { return .xRealIp }
            if bytes.hasPrefix("report-to", at: start) { return .reportTo }
            if bytes.hasPrefix("expect-ct", at: start) { return .expectCt }
        case 10:
            if bytes.hasPrefix("connection", at: start) { return .connection }
            if bytes.hasPrefix("keep-alive", at: start) { return .keepAlive }
            if bytes.hasPrefix("set-cookie", at: start) { return .setCookie }
            if bytes.hasPrefix("user-agent", at: start) { return .userAgent }
        case 11:
            if bytes.hasPrefix("retry-after", at: start) { return .retryAfter }
            if bytes.hasPrefix("destination", at: start) { return .destination }
            if bytes.hasPrefix("content-md5", at: start) { return .contentMd5 }
            if bytes.hasPrefix("repr-digest", at: start) { return .reprDigest }
        case 12:
            if bytes.hasPrefix("x-request-id", at: start) { return .xRequestId }
            if bytes.hasPrefix("content-type", at: start) { return .contentType }
            if bytes.hasPrefix("max-forwards", at: start) { return .maxForwards }
        case 13:
            if bytes.hasPrefix("shunt-profile", at: start) { return .shuntProfile }
            if bytes.hasPrefix("content-range", at: start) { return .contentRange }
            if bytes.hasPrefix("accept-ranges", at: start) { return .acceptRanges }
            if bytes.hasPrefix("authorization", at: start) { return .authorization }
            if bytes.hasPrefix("cache-control", at: start) { return .cacheControl }
            if bytes.hasPrefix("if-none-match", at: start) { return .ifNoneMatch }
            if bytes.hasPrefix("last-modified", at: start) { return .lastModified }
        case 14:
            if bytes.hasPrefix("content-length", at: start) { return .contentLength }
            if bytes.hasPrefix("http2-settings", at: start) { return .http2Settings }
            if bytes.hasPrefix("content-digest", at: start) { return .contentDigest }
        case 15:
            if bytes.hasPrefix("x-forwarded-for", at: start) { return .xForwardedFor }
            if bytes.hasPrefix("accept-encoding", at: start) { return .acceptEncoding }
            if bytes.hasPrefix("accept-language", at: start) { return .acceptLanguage }
            if bytes.hasPrefix("public-key-pins", at: start) { return .publicKeyPins }
            if bytes.hasPrefix("clear-site-data", at: start) { return .clearSiteData }
        case 16:
            if bytes.hasPrefix("proxy-connection", at: start) { return .proxyConnection }
            if bytes.hasPrefix("x-forwarded-host", at: start) { return .xForwardedHost }
            if bytes.hasPrefix("x-forwarded-port", at: start) { return .xForwardedPort }
            if bytes.hasPrefix("content-encoding", at: start) { return .contentEncoding }
            if bytes.hasPrefix("content-language", at: start) { return .contentLanguage }
            if bytes.hasPrefix("content-location", at: start) { return .contentLocation }
            if bytes.hasPrefix("www-authenticate", at: start) { return .wwwAuthenticate }
        case 17:
            if bytes.hasPrefix("transfer-encoding", at: start) { return .transferEncoding }
            if bytes.hasPrefix("x-forwarded-proto", at: start) { return .xForwardedProto }
            if bytes.hasPrefix("shunt-answered-by", at: start) { return .shuntAnsweredBy }
            if bytes.hasPrefix("if-modified-since", at: start) { return .ifModifiedSince }
        case 18:
            if bytes.hasPrefix("proxy-authenticate", at: start) { return .proxyAuthenticate }
        case 19:
            if bytes.hasPrefix("proxy-authorization", at: start) { return .proxyAuthorization }
            if bytes.hasPrefix("content-disposition", at: start) { return .contentDisposition }
            if bytes.hasPrefix("if-unmodified-since", at: start) { return .ifUnmodifiedSince }
            if bytes.hasPrefix("reporting-endpoints", at: start) { return .reportingEndpoints }
        case 22:
            if bytes.hasPrefix("access-control-max-age", at: start) { return .accessControlMaxAge }
        case 23:
            if bytes.hasPrefix("content-security-policy", at: start) { return .contentSecurityPolicy }
        case 25:
            if bytes.hasPrefix("strict-transport-security", at: start) { return .strictTransportSecurity }
        case 27:
            if bytes.hasPrefix("access-control-allow-origin", at: start) { return .accessControlAllowOrigin }
            if bytes.hasPrefix("public-key-pins-report-only", at: start) { return .publicKeyPinsReportOnly }
        case 28:
            if bytes.hasPrefix("access-control-allow-methods", at: start) { return .accessControlAllowMethods }
            if bytes.hasPrefix("access-control-allow-headers", at: start) { return .accessControlAllowHeaders }
        case 29:
            if bytes.hasPrefix("access-control-expose-headers", at: start) { return .accessControlExposeHeaders }
            if bytes.hasPrefix("access-control-request-method", at: start) { return .accessControlRequestMethod }
        case 30:
            if bytes.hasPrefix("access-control-request-headers", at: start) { return .accessControlRequestHeaders }
        case 32:
            if bytes.hasPrefix("access-control-allow-credentials", at: start) { return .accessControlAllowCredentials }
        case 35:
            if bytes.hasPrefix("content-security-policy-report-only", at: start) {
                return .contentSecurityPolicyReportOnly
            }
        case 36:
            if bytes.hasPrefix("access-control-allow-private-network", at: start) {
                return .accessControlAllowPrivateNetwork
            }
        case 38:
            if bytes.hasPrefix("access-control-request-private-network", at: start) {
                return .accessControlRequestPrivateNetwork
            }
        default: break
        }
        return .other
    }
}
