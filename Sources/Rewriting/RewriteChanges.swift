/// The changes to an exchange, for the log.
public struct RewriteChanges: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    // Requests.
    public static let origin = RewriteChanges(rawValue: 1 << 0)
    public static let referer = RewriteChanges(rawValue: 1 << 1)
    public static let destination = RewriteChanges(rawValue: 1 << 2)
    public static let cookie = RewriteChanges(rawValue: 1 << 3)
    public static let requestFields = RewriteChanges(rawValue: 1 << 4)
    public static let requestBody = RewriteChanges(rawValue: 1 << 5)
    // Messages of WebSockets and events of streams.
    public static let clientMessages = RewriteChanges(rawValue: 1 << 6)
    public static let originMessages = RewriteChanges(rawValue: 1 << 7)
    public static let heldMessages = RewriteChanges(rawValue: 1 << 16)
    /// A message was too long to be edited.
    public static let longMessage = RewriteChanges(rawValue: 1 << 17)
    // Responses: addresses.
    public static let location = RewriteChanges(rawValue: 1 << 8)
    public static let contentLocation = RewriteChanges(rawValue: 1 << 9)
    public static let refresh = RewriteChanges(rawValue: 1 << 10)
    public static let link = RewriteChanges(rawValue: 1 << 11)
    public static let allowOrigin = RewriteChanges(rawValue: 1 << 12)
    public static let setCookie = RewriteChanges(rawValue: 1 << 13)
    public static let securityPolicy = RewriteChanges(rawValue: 1 << 14)
    public static let responseFields = RewriteChanges(rawValue: 1 << 15)
    // Responses: taken out.
    public static let strictTransportSecurity = RewriteChanges(rawValue: 1 << 20)
    public static let altSvc = RewriteChanges(rawValue: 1 << 21)
    public static let publicKeyPins = RewriteChanges(rawValue: 1 << 22)
    public static let reporting = RewriteChanges(rawValue: 1 << 23)
    public static let clearSiteData = RewriteChanges(rawValue: 1 << 24)
    public static let expectCT = RewriteChanges(rawValue: 1 << 25)
    /// A call of gRPC-Web, which was translated for the origin.
    public static let webCall = RewriteChanges(rawValue: 1 << 26)
    // Put in.
    public static let cors = RewriteChanges(rawValue: 1 << 30)
    public static let body = RewriteChanges(rawValue: 1 << 31)
    public static let injection = RewriteChanges(rawValue: 1 << 32)
    /// A token that Shunt has fetched.
    public static let token = RewriteChanges(rawValue: 1 << 33)
    // What a route changes.
    public static let path = RewriteChanges(rawValue: 1 << 40)
    public static let query = RewriteChanges(rawValue: 1 << 41)
    public static let requestHeaders = RewriteChanges(rawValue: 1 << 42)
    public static let responseHeaders = RewriteChanges(rawValue: 1 << 43)
    public static let status = RewriteChanges(rawValue: 1 << 44)
    /// A page stayed as it was, though HTML was to be put into it.
    public static let notInjected = RewriteChanges(rawValue: 1 << 45)

    // What a network or a fault did to it.
    public static let network = RewriteChanges(rawValue: 1 << 46)
    public static let fault = RewriteChanges(rawValue: 1 << 47)
    /// The response is one that was kept, since the origin could not be reached.
    public static let stale = RewriteChanges(rawValue: 1 << 48)

    /// What a client may store is its environment's alone.
    public static let cache = RewriteChanges(rawValue: 1 << 54)

    /// A request's body was too long for its addresses to be mapped.
    public static let longBody = RewriteChanges(rawValue: 1 << 55)

    // What a route edits in bodies.
    public static let requestEdits = RewriteChanges(rawValue: 1 << 56)
    public static let responseEdits = RewriteChanges(rawValue: 1 << 57)
    /// A response's body stayed as it was, though the route has edits for it.
    public static let longJSON = RewriteChanges(rawValue: 1 << 58)
    public static let notJSON = RewriteChanges(rawValue: 1 << 59)
    public static let unreadableBody = RewriteChanges(rawValue: 1 << 60)

    // What people changed while it was held.
    public static let heldRequest = RewriteChanges(rawValue: 1 << 61)
    public static let heldResponse = RewriteChanges(rawValue: 1 << 62)

    // Warnings about a push notification.
    public static let pushWithoutType = RewriteChanges(rawValue: 1 << 49)
    public static let pushPriority = RewriteChanges(rawValue: 1 << 50)
    public static let pushPayload = RewriteChanges(rawValue: 1 << 51)
    public static let pushConnection = RewriteChanges(rawValue: 1 << 52)
    public static let pushToken = RewriteChanges(rawValue: 1 << 53)

    private static let all: [(RewriteChanges, String)] = [
        (.origin, "Origin"), (.referer, "Referer"), (.destination, "Destination"), (.cookie, "Cookie"),
        (.requestFields, "addresses in request fields"), (.requestBody, "request body"),
        (.location, "Location"), (.contentLocation, "Content-Location"), (.refresh, "Refresh"), (.link, "Link"),
        (.allowOrigin, "Access-Control-Allow-Origin"), (.setCookie, "Set-Cookie"),
        (.responseFields, "addresses in response fields"), (.securityPolicy, "Content-Security-Policy"),
        (.strictTransportSecurity, "-Strict-Transport-Security"),
        (.altSvc, "-Alt-Svc"), (.publicKeyPins, "-Public-Key-Pins"), (.reporting, "-Report-To"),
        (.clearSiteData, "-Clear-Site-Data"), (.expectCT, "-Expect-CT"), (.cors, "+CORS"), (.body, "body"),
        (.webCall, "gRPC-Web"), (.injection, "+injection"), (.path, "path"), (.query, "query"),
        (.requestHeaders, "request headers"),
        (.responseHeaders, "response headers"), (.status, "status"), (.notInjected, "no injection"),
        (.network, "+network"), (.fault, "+fault"), (.stale, "+stale"), (.cache, "cache"), (.token, "token"),
        (.longBody, "!a body too long to be held keeps Shunt's addresses, if it has any"),
        (.requestEdits, "request body edits"), (.responseEdits, "response body edits"),
        (.longJSON, "!a body of JSON that is too long to be held passes without the route's edits"),
        (.notJSON, "!a body that is no valid JSON passes without the route's edits"),
        (.unreadableBody, "!a part, or a body whose coding cannot be undone, passes without the route's edits"),
        (.heldRequest, "request by hand"), (.heldResponse, "response by hand"),
        (.clientMessages, "messages of the client"), (.originMessages, "messages of the origin"),
        (.heldMessages, "messages by hand"),
        (.longMessage, "!a message of more than 1 MiB passes without the route's edits"),
        (.pushWithoutType, "!no-push-type"), (.pushPriority, "!background-priority"),
        (.pushPayload, "!payload-near-limit"), (.pushConnection, "!connection-per-push"),
        (.pushToken, "!token-renewed-often"),
    ]

    /// The names of the fields, with a minus in front of what was taken out and a plus of what was put in.
    public var names: [String] { Self.all.filter { contains($0.0) }.map(\.1) }
}
