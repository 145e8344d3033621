/// The keys a profile may have, object by object; the JSON Schema has the same (a test compares them).
package enum ProfileKeys {
    package static let profile = [
        "$schema", "description", "extends", "kind", "routes", "trust", "certificateAuthorities",
        "allHostsMustBeEvaluated", "allowedHosts", "cookieJar", "closeSockets", "redact", "network", "offline",
        "cache", "halfClose", "clearOnSwitch", "store",
    ]
    package static let route =
        [
            "name", "host", "path", "method", "headers", "match", "scenario", "when", "then", "origin", "fallback",
            "preserveHost", "proxy", "tls",
        ] + RelaySettings.keys + LocalResponders.routeKeys
        + ["rewrite", "cors", "allow", "graphql"] + changes + ["network", "fault", "offline", "cache", "halfClose"]
    package static let network = [
        "preset", "latency", "jitter", "distribution", "down", "up", "loss", "stall", "setup", "outages", "seed",
    ]
    package static let fault = ["kind", "probability", "seed", "at", "after", "rate", "size", "time", "status"]
    package static let offline = ["maxSize", "slowerThan"]
    package static let store = ["seal", "recipients"]
    package static let outages = ["every", "for"]
    package static let proxy = ["url", "credentialsVariable"]
    package static let match = ["query", "headers", "cookies", "body", "json"]
    package static let changes = ["request", "response", "inject", "bridge"]
    package static let request = ["headers", "query", "path"]
    package static let response = ["headers", "status"]
    package static let headerChanges = ["set", "add", "remove"]
    package static let queryChanges = ["set", "remove"]
    package static let inject = ["head", "body"]
    package static let bridge = ["webkit", "android", "prompt", "events", "record"]
    package static let bridgeCase = ["match", "reply", "error", "delay", "events", "template"]
    package static let bridgeEvent = ["after", "call", "with", "dispatch", "detail", "target", "post"]
    package static let redact = ["fields", "parameters", "json", "keep", "jwtClaims"]
    package static let fallback = ["statuses", "timeout", "remember", "hold"]
    package static var rewrite: [(name: String, path: WritableKeyPath<RewriteSettings, Bool>)] {
        [
            ("addresses", \.addresses), ("cookies", \.cookies), ("pins", \.pins), ("clearSiteData", \.clearSiteData),
            ("bodies", \.bodies),
        ]
    }
    package static let cors = ["origins", "credentials", "methods", "headers", "exposedHeaders", "maxAge"]
    package static let mock = mockBody + ["status", "headers", "delay", "responses", "loop", "seed"]
    package static let mockResponse = mockBody + ["status", "headers", "delay", "weight"]
    private static let mockBody = ["json", "text", "file", "template"]
    package static let trustRule =
        evaluator + ["certificateAuthorities", "clientCertificate", "minTLS", "ciphers", "strict", "until", "reason"]
    package static let evaluator = [
        "policy", "validateHost", "performDefaultValidation", "options", "certificates", "acceptSelfSignedCertificates",
        "keys", "evaluators",
    ]
    package static let clientCertificate = ["certificate", "key", "pkcs12", "passphraseFile", "passphraseVariable"]
}
