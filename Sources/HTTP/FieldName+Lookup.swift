extension FieldName {
    /// The known name that `bytes` spell, in whatever case (RFC 9110 5.1), or `other`.
    public static func lookup(_ bytes: Span<UInt8>) -> FieldName {
        guard bytes.count < 8 else { return lookup(FieldWords(bytes, 0..<bytes.count), in: bytes) }
        var word = UInt64(0x3A) &<< (8 &* UInt64(bytes.count))
        for index in bytes.indices { word |= UInt64(bytes[index]) &<< (8 &* UInt64(index)) }
        return lookup(FieldWords.folded(word))
    }

    /// The same for up to seven bytes: a word that was folded, with a colon behind the name and zeros behind that.
    ///
    /// Without the colon a name could end with zeros of its own.
    @inline(__always)
    static func lookup(_ word: UInt64) -> FieldName {
        switch word {
        case Scan.word(of: "te:"): .te
        case Scan.word(of: "via:"): .via
        case Scan.word(of: "age:"): .age
        case Scan.word(of: "nel:"): .nel
        case Scan.word(of: "host:"): .host
        case Scan.word(of: "date:"): .date
        case Scan.word(of: "etag:"): .etag
        case Scan.word(of: "vary:"): .vary
        case Scan.word(of: "link:"): .link
        case Scan.word(of: "range:"): .range
        case Scan.word(of: "allow:"): .allow
        case Scan.word(of: "expect:"): .expect
        case Scan.word(of: "cookie:"): .cookie
        case Scan.word(of: "origin:"): .origin
        case Scan.word(of: "accept:"): .accept
        case Scan.word(of: "pragma:"): .pragma
        case Scan.word(of: "server:"): .server
        case Scan.word(of: "digest:"): .digest
        case Scan.word(of: "trailer:"): .trailer
        case Scan.word(of: "upgrade:"): .upgrade
        case Scan.word(of: "referer:"): .referer
        case Scan.word(of: "expires:"): .expires
        case Scan.word(of: "alt-svc:"): .altSvc
        case Scan.word(of: "refresh:"): .refresh
        default: .other
        }
    }

    /// The same for eight bytes and more: by length, and then by the first and the last eight of them.
    @inline(__always)
    static func lookup(_ name: FieldWords, in bytes: Span<UInt8>) -> FieldName {
        switch name.count {
        case 8:
            if name.spells("location") { return .location }
            if name.spells("if-match") { return .ifMatch }
            if name.spells("if-range") { return .ifRange }
        case 9:
            if name.spells("forwarded") { return .forwarded }
            if name.spells("x-real-ip") { return .xRealIp }
            if name.spells("report-to") { return .reportTo }
            if name.spells("expect-ct") { return .expectCt }
        case 10:
            if name.spells("connection") { return .connection }
            if name.spells("keep-alive") { return .keepAlive }
            if name.spells("set-cookie") { return .setCookie }
            if name.spells("user-agent") { return .userAgent }
            if name.spells("tracestate") { return .tracestate }
        case 11:
            if name.spells("retry-after") { return .retryAfter }
            if name.spells("traceparent") { return .traceparent }
            if name.spells("destination") { return .destination }
            if name.spells("content-md5") { return .contentMd5 }
            if name.spells("repr-digest") { return .reprDigest }
        case 12:
            if name.spells("x-request-id") { return .xRequestId }
            if name.spells("shunt-attach") { return .shuntAttach }
            if name.spells("content-type") { return .contentType }
            if name.spells("max-forwards") { return .maxForwards }
        case 13:
            if name.spells("shunt-profile") { return .shuntProfile }
            if name.spells("shunt-session") { return .shuntSession }
            if name.spells("shunt-cluster") { return .shuntCluster }
            if name.spells("content-range") { return .contentRange }
            if name.spells("accept-ranges") { return .acceptRanges }
            if name.spells("authorization") { return .authorization }
            if name.spells("cache-control") { return .cacheControl }
            if name.spells("if-none-match") { return .ifNoneMatch }
            if name.spells("last-modified") { return .lastModified }
        case 14:
            if name.spells("content-length") { return .contentLength }
            if name.spells("http2-settings") { return .http2Settings }
            if name.spells("content-digest") { return .contentDigest }
        case 15:
            if name.spells("x-forwarded-for") { return .xForwardedFor }
            if name.spells("accept-encoding") { return .acceptEncoding }
            if name.spells("accept-language") { return .acceptLanguage }
            if name.spells("public-key-pins") { return .publicKeyPins }
            if name.spells("clear-site-data") { return .clearSiteData }
        case 16:
            if name.spells("proxy-connection") { return .proxyConnection }
            if name.spells("x-forwarded-host") { return .xForwardedHost }
            if name.spells("x-forwarded-port") { return .xForwardedPort }
            if name.spells("content-encoding") { return .contentEncoding }
            if name.spells("content-language") { return .contentLanguage }
            if name.spells("content-location") { return .contentLocation }
            if name.spells("www-authenticate") { return .wwwAuthenticate }
        case 17...: return lookup(long: name, in: bytes)
        default: break
        }
        return .other
    }

    /// Names of which something lies between the two words.
    @inline(never)
    private static func lookup(long name: FieldWords, in bytes: Span<UInt8>) -> FieldName {
        let start = name.start
        switch name.count {
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
