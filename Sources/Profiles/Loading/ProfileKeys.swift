// Each key is one line, whose last text editors show as its description.
// swift-format-ignore-file

import JSON

extension ProfileSource {
    static let keys = Keys<ProfileSource>(
        "profile", "a profile",
        [
            .own("kind", #"one of "local", "staging", "production""#, Schema.one(of: ProfileKind.allCases.map(\.rawValue)), "The kind of environment. The guard of production depends on it, so it is required and not inherited; only NAME.local.json beside NAME.json may omit it."),
            .optional("description", \.description, .text(), "What the environment is, in a few words; shown in listings."),
            .own("extends", "a profile's name", Schema.pattern("^[a-z0-9][a-z0-9_.-]*$"), "The profile that responds to requests that no route here matches: another file's name without its extension.", see: "profiles.md#replace-a-part-of-another-environment"),
            .own("routes", "an array of routes", Schema.list(Schema.object("route")), "What responds to which requests. The most specific route wins, wherever it is in the file."),
            .own("trust", #"an object like { "localhost": "disabled" }"#, Schema.map(Schema.any(TrustEvaluator.nameSchema, Schema.object("trustRule"))), "How origins' certificates are verified, by host: api.shop.test, *.shop.test, @loopback, 10.0.0.0/8 or *, with or without a port. The most specific rule wins; without one, \"default\" applies.", see: "profiles.md#trust-an-origins-certificate"),
            .own("certificateAuthorities", "an array of paths to PEM files", Schema.names, "PEM files, relative to this profile, that are trusted beside the system's for every host with the policy \"default\".") { $2.authorities = decodeAuthorities($1) },
            .optional("allHostsMustBeEvaluated", \.allHostsMustBeEvaluated, .flag, "true refuses https origins without a trust rule, instead of verifying them by \"default\". Inherited."),
            .own("allowedHosts", "an array of hosts", Schema.list(Schema.text), "Hosts of clients that routes without a host respond to, beside those that are known anyway: api.shop.example, *.shop.example, or * for all. Inherited; lists are combined.", see: "profiles.md#which-hosts-are-answered") { $2.allowedHosts = decodeAllowedHosts($1) },
            .own("apps", "an array of names of programs", Schema.names, "Programs of this machine whose requests this profile responds to, whichever profile is active: curl, Safari, python3, tests.py. Not inherited; a program belongs to one profile.", see: "devices.md#programs-of-this-machine") { $2.apps = decodeApps($1) },
            .own("cookieJar", "true, false, or a name for a jar that several profiles share", Schema.any(Schema.flag, Schema.pattern("^[a-z0-9][a-z0-9_.-]*$")), "Keeps this environment's cookies apart from others': true for a jar named like the profile, a name to share one, false for none. Inherited.", see: "profiles.md#keep-cookies-apart") { $2.jar = decodeCookieJar($1) },
            .own("token", TokenParts.expected, Schema.any(Schema.object("token"), #""const": false"#), "A token that Shunt fetches, renews, and puts into requests of the routes with \"token\": true. Inherited; false for none.", see: "tokens.md") { $2.token = decodeToken($1) },
            .optional("closeSockets", \.closesSockets, .flag, "Ends the WebSockets and event streams of the profile that was active before, when this one becomes active. Inherited.", usual: "false", see: "moving.md#open-streams"),
            .own("contract", #"a file like "api.yaml", or false"#, Schema.any(Schema.fullText, #""const": false"#), "A document of OpenAPI, relative to this profile, that exchanges of routes are compared with as they are recorded. Inherited; false for none.", see: "contracts.md#on-routes") { $2.contract = decodeContract($1) },
        .own("redact", "an object", Schema.object("redact"), "Names of values that are replaced in recorded traffic, in addition to Shunt's own rules, and names of values that are not. The case of names does not matter; * at either end stands for anything. Inherited; lists are combined.", see: "traffic.md#say-what-is-secret") { RedactionSettings.keys.read($0.key, of: $1, into: &$2.redaction) },
            .own("network", #"a preset like "lte", or an object like { "latency": "300ms" }"#, NetworkConditions.anySchema, "A simulated network for this profile's clients: a preset, or figures of your own. Inherited.", see: "networks.md") { $2.network = decodeNetwork($1, of: "a profile") },
            .own("offline", OfflineSettings.expected, OfflineSettings.anySchema, "serve-last keeps the last good responses to GET and HEAD in memory, and sends them when an origin cannot be reached. Inherited; false switches it off.", see: "offline.md") { $2.offline = decodeOffline($1, of: "a profile") },
            .optional("cache", \.client.cache, .choice, "What clients may store of responses: apart lets each environment use what it has sent itself alone, as-is leaves it to origins, none lets nothing be stored. Inherited.", usual: #""apart""#, see: "moving.md#what-clients-have-stored"),
            .optional("halfClose", \.client.halfClose, .flag, "true waits for the response of a client that has closed its sending side; otherwise such a client counts as gone, and its request at the origin ends. Inherited.", usual: "false", see: "http.md#how-it-behaves"),
            .own("clearOnSwitch", #"a list like ["storage"]"#, Schema.list(Schema.one(of: ClearedData.allCases.map(\.rawValue))), "What a browser forgets of a site with the first page that it gets after a switch to this profile (Clear-Site-Data): cache, cookies, storage. Inherited; [] for nothing.", see: "moving.md#what-clients-have-stored") { ($2.client.clearOnSwitch, $2.clearingPlace) = (decodeClearing($1), $0.value.position) },
            .own("store", #"an object like { "seal": true }"#, Schema.object("store"), "Recorded traffic can be sealed, so that it is never on the disk unencrypted. If any profile says so, the traffic of all profiles is sealed.", see: "sealed.md#in-a-profile") { $2.sealing = StoreSealing($1) },
            .own("$schema", "a text", Schema.text, "This schema, for editors: \"./profile.schema.json\".") { _, fields, _ in _ = fields.string("$schema") },
        ])
}

extension StoreSealing {
    static let keys = Keys<Void>(
        "store", "the \"store\" of a profile", required: ["seal"],
        [
            .own("seal", "true or false", Schema.flag, "Whether it is sealed."),
            .own("recipients", "an array of recipients", Schema.names, "The recipients who can open it: age1… or ssh-….", usual: "those in recipients.txt beside the profiles"),
        ])
}

extension RedactionSettings {
    static let keys = Keys<RedactionSettings>(
        "redact", "\"redact\"",
        [
            .list("fields", \.fields, .text("a field's name like \"X-Device-Id\"", schema: Schema.fullText, isToken), "an array of names", "Header and trailer fields that are secrets."),
            .list("parameters", \.parameters, .text("a parameter's name like \"otp\"", schema: Schema.fullText, { !$0.isEmpty }), "an array of names", "Parameters of URLs and forms that are secrets."),
            .list("json", \.json, .text("a member like \"pin\" or \"card.number\"", schema: Schema.fullText, { $0.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty } }), "an array of names", "Members of JSON that are secrets: pin is each member of that name, card.number each number directly in a card."),
            .list("keep", \.keep, .text("a name like \"Authorization\"", schema: Schema.fullText, hint: "`--keep-secrets` keeps every secret, for one run", { !$0.allSatisfy { $0 == "*" } }), "an array of names", "Fields, parameters and members that are never secrets."),
            .optional("jwtClaims", \.jwtClaims, .flag, "true keeps the claims of JSON Web Tokens readable, but not their signature.", usual: "false"),
        ])
}
