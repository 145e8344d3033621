/// A field's name; the ones that something here asks for are small integers, all others are `other`.
///
/// At most 128, so that a ``FieldNameSet`` is two words.
public enum FieldName: UInt8, Sendable, CaseIterable {
    case other
    // What concerns one connection only, or how a message is framed and routed.
    case connection, contentLength, transferEncoding, host, te, trailer, upgrade, expect, keepAlive
    case proxyConnection, proxyAuthenticate, proxyAuthorization, http2Settings
    // What a proxy on the way reads or writes.
    case via, date, forwarded, xForwardedFor, xForwardedHost, xForwardedPort, xForwardedProto, xRealIp
    case xRequestId, shuntProfile, shuntSession, shuntAttach, shuntAnsweredBy, shuntCluster, traceparent, tracestate
    // What concerns the message, for whom it is meant.
    case contentType, contentEncoding, contentLanguage, contentLocation, contentRange, contentDisposition
    case contentSecurityPolicy, location, setCookie, cookie, origin, referer, accept, acceptEncoding
    case acceptLanguage, acceptRanges, userAgent, authorization, wwwAuthenticate, cacheControl, pragma, etag
    case ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince, ifRange, lastModified, expires, age, vary
    case server, range, allow, retryAfter, maxForwards, strictTransportSecurity, altSvc
    case accessControlAllowOrigin
    // What names addresses, pins a client to them, or depends on a body that may be rewritten.
    case refresh, link, destination, publicKeyPins, publicKeyPinsReportOnly, contentSecurityPolicyReportOnly
    case reportTo, reportingEndpoints, nel, expectCt, clearSiteData, accessControlAllowCredentials
    case accessControlAllowMethods, accessControlAllowHeaders, accessControlExposeHeaders, accessControlMaxAge
    case accessControlAllowPrivateNetwork, accessControlRequestMethod, accessControlRequestHeaders
    case accessControlRequestPrivateNetwork, contentMd5, digest, contentDigest, reprDigest

    /// The name as it is usually written; empty for `other`.
    public var text: StaticString {
        switch self {
        case .other: ""
        case .connection: "Connection"
        case .contentLength: "Content-Length"
        case .transferEncoding: "Transfer-Encoding"
        case .host: "Host"
        case .te: "TE"
        case .trailer: "Trailer"
        case .upgrade: "Upgrade"
        case .expect: "Expect"
        case .keepAlive: "Keep-Alive"
        case .proxyConnection: "Proxy-Connection"
        case .proxyAuthenticate: "Proxy-Authenticate"
        case .proxyAuthorization: "Proxy-Authorization"
        case .http2Settings: "HTTP2-Settings"
        case .via: "Via"
        case .date: "Date"
        case .forwarded: "Forwarded"
        case .xForwardedFor: "X-Forwarded-For"
        case .xForwardedHost: "X-Forwarded-Host"
        case .xForwardedPort: "X-Forwarded-Port"
        case .xForwardedProto: "X-Forwarded-Proto"
        case .xRealIp: "X-Real-IP"
        case .xRequestId: "X-Request-ID"
        case .shuntProfile: "Shunt-Profile"
        case .shuntSession: "Shunt-Session"
        case .shuntAttach: "Shunt-Attach"
        case .shuntAnsweredBy: "Shunt-Answered-By"
        case .shuntCluster: "Shunt-Cluster"
        case .traceparent: "traceparent"
        case .tracestate: "tracestate"
        case .contentType: "Content-Type"
        case .contentEncoding: "Content-Encoding"
        case .contentLanguage: "Content-Language"
        case .contentLocation: "Content-Location"
        case .contentRange: "Content-Range"
        case .contentDisposition: "Content-Disposition"
        case .contentSecurityPolicy: "Content-Security-Policy"
        case .location: "Location"
        case .setCookie: "Set-Cookie"
        case .cookie: "Cookie"
        case .origin: "Origin"
        case .referer: "Referer"
        case .accept: "Accept"
        case .acceptEncoding: "Accept-Encoding"
        case .acceptLanguage: "Accept-Language"
        case .acceptRanges: "Accept-Ranges"
        case .userAgent: "User-Agent"
        case .authorization: "Authorization"
        case .wwwAuthenticate: "WWW-Authenticate"
        case .cacheControl: "Cache-Control"
        case .pragma: "Pragma"
        case .etag: "ETag"
        case .ifMatch: "If-Match"
        case .ifNoneMatch: "If-None-Match"
        case .ifModifiedSince: "If-Modified-Since"
        case .ifUnmodifiedSince: "If-Unmodified-Since"
        case .ifRange: "If-Range"
        case .lastModified: "Last-Modified"
        case .expires: "Expires"
        case .age: "Age"
        case .vary: "Vary"
        case .server: "Server"
        case .range: "Range"
        case .allow: "Allow"
        case .retryAfter: "Retry-After"
        case .maxForwards: "Max-Forwards"
        case .strictTransportSecurity: "Strict-Transport-Security"
        case .altSvc: "Alt-Svc"
        case .accessControlAllowOrigin: "Access-Control-Allow-Origin"
        case .refresh: "Refresh"
        case .link: "Link"
        case .destination: "Destination"
        case .publicKeyPins: "Public-Key-Pins"
        case .publicKeyPinsReportOnly: "Public-Key-Pins-Report-Only"
        case .contentSecurityPolicyReportOnly: "Content-Security-Policy-Report-Only"
        case .reportTo: "Report-To"
        case .reportingEndpoints: "Reporting-Endpoints"
        case .nel: "NEL"
        case .expectCt: "Expect-CT"
        case .clearSiteData: "Clear-Site-Data"
        case .accessControlAllowCredentials: "Access-Control-Allow-Credentials"
        case .accessControlAllowMethods: "Access-Control-Allow-Methods"
        case .accessControlAllowHeaders: "Access-Control-Allow-Headers"
        case .accessControlExposeHeaders: "Access-Control-Expose-Headers"
        case .accessControlMaxAge: "Access-Control-Max-Age"
        case .accessControlAllowPrivateNetwork: "Access-Control-Allow-Private-Network"
        case .accessControlRequestMethod: "Access-Control-Request-Method"
        case .accessControlRequestHeaders: "Access-Control-Request-Headers"
        case .accessControlRequestPrivateNetwork: "Access-Control-Request-Private-Network"
        case .contentMd5: "Content-MD5"
        case .digest: "Digest"
        case .contentDigest: "Content-Digest"
        case .reprDigest: "Repr-Digest"
        }
    }
}
