// Each key is one line, whose last text editors show as its description.
// swift-format-ignore-file

import JSON

extension DecodedRoute {
    static let keys = Keys<DecodedRoute>(
        "route", "a route", more: LocalResponders.alternativeSchema,
        matching + responding + LocalResponders.kinds.flatMap { $0.routeKeys } + changing)

    private static let matching: [Key<DecodedRoute>] = [
        .own("name", "a name like \"promo\"", Schema.pattern("^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"), "The name by which `shunt mocks` switches a mock, redirect, files, recording or push on and off.", usual: "made from the path", see: "mocks.md#on-and-off", beside: LocalResponders.switchable),
        .own("host", "a host pattern", Schema.text, "The host of the request: api.shop.test, *.shop.test (one or more labels below) or *, with or without a port.", usual: "any", see: "profiles.md#say-which-requests"),
        .own("path", "a path pattern", Schema.pattern("^/"), "/v1/promo for only that path, /v1/cart/* for /v1/cart and all below, * as a whole segment for any one. The query is ignored.", usual: "any", see: "profiles.md#say-which-requests"),
        .own("method", "a method like \"GET\", or an array of them", Schema.any(Schema.text, Schema.list(Schema.text, min: 1)), "The methods, in upper case.", usual: "any"),
        .own("headers", #"an object like { "X-Beta": "1" }"#, Schema.map(Schema.any(Schema.text, #""const": true"#)), "Fields that the request must have: with exactly that value, or with any (true)."),
        .own("match", #"an object like { "query": { "page": "1" } }"#, Schema.object("match"), "Further conditions on the request's query, fields, cookies and body.", see: "mocks.md#which-requests"),
        .own("scenario", "a name like \"loggedIn\"", Schema.text, "The name of the states of \"when\" and \"then\", if a profile has several that are independent of each other.", see: "mocks.md#states"),
        .own("when", "a name like \"loggedIn\"", Schema.fullText, "The route matches in this state only. A scenario begins in the state that its first route names.", see: "mocks.md#states"),
        .own("then", "a name like \"loggedIn\"", Schema.fullText, "The state after a response of this route.", usual: "the same", see: "mocks.md#states"),
    ]
    private static let responding: [Key<DecodedRoute>] = [
        .own("origin", "a URL like \"https://localhost:3000\", an array: \(OriginCandidate.example), or an object: \(ProgramSettings.example)", Schema.any(Schema.url, Schema.object("program"), Schema.list(Schema.any(Schema.url, Schema.pattern("^profile:"), Schema.object("program")), min: 2)), "The server that responds: https (HTTP/2 if it can, else HTTP/1.1), http or h2c (HTTP/2 without TLS), a host, optionally a port and a path that is put before the request's. Or several that are asked in turn until one responds; \"profile:NAME\" is the response of that profile. An object has the command that starts the server.", see: "profiles.md#send-a-host-somewhere"),
        .own("fallback", #"an object like { "statuses": [404, 501] }"#, Schema.object("fallback"), "When the next of several origins is asked, in addition to failures before a response.", usual: "after failures before a response", see: "profiles.md#ask-several-in-turn", beside: .origin()),
        .own("preserveHost", "true or false", Schema.flag, "true sends the client's own Host to the origin, false the origin's.", usual: "false", beside: .origin()),
        .own("proxy", #"a URL like "http://proxy.corp.example:3128", "direct", or an object"#, Schema.any(Schema.pattern("^(direct$|http://|socks5h?://)"), Schema.object("proxy")), "The proxy by which the origin is reached, or \"direct\" for none. Credentials are in an environment variable.", usual: "the environment's", see: "proxy.md#proxies-on-shunts-own-way", beside: .origin("there is no origin to be reached by it")),
        .own("tls", "\"passthrough\"", #""const": "passthrough""#, "passthrough: TLS connections for this host are passed on to the origin without being decrypted, for clients that pin its certificate. Only \"host\" and \"origin\" may be beside it.", usual: "TLS ends at Shunt", see: "profiles.md#hosts-that-pin"),
        .one("strict", \.settings.relay.isStrict, .flag, "true refuses responses that break RFC 9112 with 502; false sends on what can be read in one way only, and notes it.", default: false, see: "http.md#what-origins-may-send", beside: .origin()),
        .optional("forwarded", \.settings.relay.forwards, .flag, "Whether X-Forwarded-For, -Proto and -Host are added to requests. With true also requests of the origin's own pages say that the client uses https.", usual: "true in a profile of kind local, and with preserveHost for an http origin", see: "http.md#what-is-changed", beside: .origin()),
        .one("via", \.settings.relay.addsVia, .flag, "Whether Via is added to requests. Some servers do not compress responses to requests with it.", default: true, beside: .origin()),
        .one("grpcWeb", \.settings.relay.translatesWebCalls, .flag, "true translates calls of gRPC-Web, binary and text, for an origin that speaks gRPC alone.", default: false, see: "grpc.md#pages-that-call", beside: .origin()),
    ]
    private static let changing: [Key<DecodedRoute>] = [
        .own("rewrite", #"true, false, or an object like { "bodies": true }"#, Schema.any(Schema.flag, Schema.object("rewrite")), "What is rewritten so that clients do not see the origin's own address; nothing with false.", usual: "all but bodies", see: "profiles.md#rewrite-what-names-the-origin", beside: .origin("there is no origin whose addresses could be rewritten", or: [RecordingSettings.key])) { $2.settings.rewrite = RewriteSettings.keys.read($0, of: $1, on: RewriteSettings()) ?? .none },
        .own("cors", #"true, or an object like { "origins": ["https://app.shop.test"] }"#, Schema.any(Schema.flag, Schema.object("cors")), "Responds to cross-origin requests of web pages instead of the origin: true for every page.", usual: "the origin decides", see: "profiles.md#let-web-pages-ask") { $2.settings.cors = CORSSettings.keys.read($0, of: $1, on: CORSSettings()) },
        .own("allow", "an array of \(GuardSettings.forms)", Schema.list(Schema.any(Schema.one(of: ["websocket", "grpc"]), Schema.pattern("^[^a-z]+$"))), "What the guard of production allows on this route without unlocking.", usual: "safe methods only", see: "profiles.md#keep-production-safe", beside: .origin("there is no origin to be guarded")) { decodeAllow($1, into: &$2.settings.guards) },
        .one("graphql", \.settings.guards.isGraphQL, .flag, "true: requests are GraphQL whatever the path, so that the guard of production allows queries and refuses mutations.", default: false, see: "profiles.md#keep-production-safe", beside: .origin("there is no origin to be guarded")),
        .optional("token", \.settings.token, .flag, "true puts the profile's token into requests, false does not.", usual: "as \"allRoutes\" of the token says", see: "tokens.md", beside: .origin("there is no origin to send a token to")),
        .own("grpc", #"an object like { "descriptors": "shop.pb" }"#, Schema.object("grpc"), "The messages of gRPC calls, so that they are shown, compared and mocked with names and values.", see: "grpc.md"),
        .own("request", "an object", Schema.object("request"), "Changes to requests before an origin gets them: header fields, query, path and body.", see: "changes.md", beside: .origin("there is no origin to send a request to")),
        .own("response", "an object", Schema.object("response"), "Changes to responses before clients get them: header fields, status and body.", see: "changes.md"),
        .own("messages", #"an array of objects like { "from": "origin", "json": { "set": { "$.price": 7 } } }"#, Schema.list(Schema.object("messageChange"), min: 1), "Changes to the messages of WebSockets and to the events of streams, one after the other.", see: "changes.md#messages"),
        .own("inject", #"an object like { "head": "debug.js" }"#, Schema.object("inject"), "HTML, scripts and styles that are inserted into pages.", see: "changes.md#scripts-and-styles-in-pages", beside: LocalResponders.pages),
        .own("bridge", "a file like \"bridge.json\"", Schema.fullText, "A file, relative to this profile, with the replies of a hybrid app's native code to its pages.", see: "bridge.md", beside: LocalResponders.pages),
        .own("contract", #"a file like "api.yaml", or false"#, Schema.any(Schema.fullText, #""const": false"#), "A document of OpenAPI, relative to this profile, that exchanges of this route are compared with as they are recorded; false for none.", usual: "as in the profile", see: "contracts.md#on-routes") { $2.settings.contractUse = decodeContract($1) },
        .own("network", #"a preset like "lte", or an object like { "latency": "300ms" }"#, NetworkConditions.anySchema, "Latency, jitter and bandwidth of this route's responses only; the other settings of a network belong to the profile.", usual: "those of the connection", see: "networks.md#a-routes-own-conditions") { $2.settings.network = decodeRouteNetwork($1) },
        .own("fault", #"a fault like "reset", or an object like { "kind": "reset" }"#, Schema.oneOrMore(Schema.any(Schema.one(of: Fault.Kind.allCases.map(\.rawValue)), Schema.object("fault"))), "Faults of this route's responses; of several, the first one that its probability selects.", see: "networks.md#faults") { $2.settings.faults = decodeFaults($1) },
        .own("offline", OfflineSettings.expected, OfflineSettings.anySchema, "Whether the last good responses are kept, for this route only.", usual: "as in the profile", see: "offline.md"),
        .optional("cache", \.client.cache, .choice, "What clients may store of responses, as in a profile.", usual: "as in the profile", see: "moving.md#what-clients-have-stored"),
        .optional("halfClose", \.client.halfClose, .flag, "Whether a client that has closed its sending side still gets its response.", usual: "as in the profile", see: "http.md#how-it-behaves"),
    ]
}

extension OriginProxy {
    static let keys = Keys<Void>(
        "proxy", "\"proxy\"", required: ["url"],
        [
            .own("url", "a URL like \"http://proxy.corp.example:3128\"", Schema.pattern("^(http|socks5h?)://"), "http://HOST:PORT or socks5://HOST:PORT."),
            .own("credentialsVariable", "the name of an environment variable", Schema.text, "The environment variable that holds USER:PASSWORD.", usual: "none"),
        ])
}

extension FallbackSettings {
    static let keys = Keys<FallbackSettings>(
        "fallback", "the \"fallback\" of a route",
        [
            .list("statuses", \.statuses, .whole(400...599), "an array like [404, 501, 503]", "Statuses after which the next one is asked.", usual: "none"),
            .optional("timeout", \.timeout, .time("10ms", "10m", like: "2s"), "How long each origin but the last may take to begin its response.", usual: "the time limits of every request"),
            .one("remember", \.remember, .time("0s", "10m", like: "5s"), "How long an origin that could not be reached is skipped.", default: 5_000_000_000),
            .one("hold", \.hold, .size(0...8 << 20, like: "64kB"), "Bytes of a request's body that are buffered so that they can be sent again; not of gRPC calls.", default: 65_536, see: "http.md#held-bodies"),
        ])
}

extension RewriteSettings {
    static let keys = Keys<RewriteSettings>(
        "rewrite", "the \"rewrite\" of a route",
        [
            .one("addresses", \.addresses, .flag, "Location, Link, Origin, Referer and every other field with an address.", default: true),
            .one("cookies", \.cookies, .flag, "Set-Cookie, so that clients accept and return cookies for the address they use.", default: true),
            .one("pins", \.pins, .flag, "Removes fields that would pin a client to an address: HSTS, Alt-Svc, report endpoints.", default: true),
            .one("clearSiteData", \.clearSiteData, .flag, "Removes Clear-Site-Data.", default: false),
            .one("bodies", \.bodies, .flag, "Absolute URLs within text of responses, and back within text and forms of requests.", default: false),
        ])
}

extension CORSSettings {
    static let keys = Keys<CORSSettings>(
        "cors", "the \"cors\" of a route",
        [
            .own("origins", "an array of origins", Schema.list(Schema.pattern("^[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#@]+$")), "Which pages may send requests: https://app.shop.test, https://*.shop.test (labels below), http://localhost:* (any port).", usual: "all") { $2.origins = decodeOrigins($1) },
            .one("credentials", \.credentials, .flag, "Whether cookies may be sent along.", default: true),
            .own("methods", "an array of names", Schema.list(Schema.text), "The methods that pages may use, in upper case.", usual: "all") { $2.methods = tokens("methods", "a method like \"PUT\"", $1) },
            .own("headers", "an array of names", Schema.list(Schema.text), "Fields that pages may send.", usual: "all")
            { $2.headers = tokens("headers", "a name like \"X-Cart\"", $1) },
            .own("exposedHeaders", "an array of names", Schema.list(Schema.text), "Fields of responses that pages may read, in addition to those that they always may.", usual: "none") { $2.exposedHeaders = tokens("exposedHeaders", "a name like \"X-Total\"", $1, canBeAny: $1["credentials"]?.bool == false) },
            .one("maxAge", \.maxAge, .whole(0...86_400, "a whole number of seconds"), "For how long a browser may reuse the response to a preflight.", default: 60),
        ])
}
