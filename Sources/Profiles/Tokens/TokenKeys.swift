// Each key is one line, whose last text editors show as its description.
// swift-format-ignore-file

import JSON

extension TokenParts {
    static let keys = Keys<TokenParts>("token", "the \"token\" of a profile", sources + grants + reading + places)
    /// One of them says where the token comes from.
    static let sources: [Key<TokenParts>] = [
        .own("tokenURL", "a URL like \"https://login.shop.test/oauth/token\"", Schema.url, "The token endpoint of an OAuth 2 server, which is asked with client credentials, or with a refresh token where there is one. Trust is that of the profile.") { $2.endpoint = TokenParts.endpoint($0, $1) },
        .optional("run", \.command, .text("a command like \"gcloud auth print-access-token\"", schema: Schema.fullText, { !$0.isEmpty && !$0.utf8.contains(0) }), "A command that prints the token; the shell runs it in the folder of this profile."),
        .own("variable", variable, Schema.fullText, "The environment variable with the token.") { $2.variable = TokenParts.variable($0, $1) },
        .own("file", "a file like \"staging.token\"", Schema.fullText, "A file with the token, relative to this profile, which its owner alone may read. It is read again every 5 seconds.") { $2.file = TokenParts.file($0, $1) },
        .own("login", "a path like \"/v1/login\", or \"/v1/auth/*\"", Schema.pattern("^/"), "The token is taken from the environment's own responses to requests for this path, with \"json\".") { $2.login = TokenParts.path($0, $1) },
    ]
    /// Those of `tokenURL` alone.
    static let grants: [Key<TokenParts>] = [
        .optional("clientID", \.clientID, .text("a text like \"shop-ios\"", schema: Schema.fullText, { !$0.isEmpty }), "The client's name at the OAuth 2 server."),
        .own("clientSecretVariable", variable, Schema.fullText, "The environment variable with the client's secret.", usual: "none") { $2.clientSecret = TokenParts.variable($0, $1).map { .variable($0) } ?? $2.clientSecret },
        .own("clientSecretFile", "a file like \"client.secret\"", Schema.fullText, "The file with the client's secret, relative to this profile.", usual: "none") { $2.clientSecret = TokenParts.file($0, $1).map { .file($0) } ?? $2.clientSecret },
        .own("refreshTokenVariable", variable, Schema.fullText, "The environment variable with a refresh token.", usual: "client credentials") { $2.refreshToken = TokenParts.variable($0, $1).map { .variable($0) } ?? $2.refreshToken },
        .own("refreshTokenFile", "a file like \"staging.refresh\"", Schema.fullText, "The file with a refresh token, relative to this profile. A new one that the server sends counts until Shunt ends.", usual: "client credentials") { $2.refreshToken = TokenParts.file($0, $1).map { .file($0) } ?? $2.refreshToken },
        .optional("scope", \.scope, .text("scopes like \"cart orders\"", schema: Schema.fullText, { !$0.isEmpty }), "The scopes to ask for, with spaces between.", usual: "the server's"),
        .optional("audience", \.audience, .text("a text like \"https://api.shop.test\"", schema: Schema.fullText, { !$0.isEmpty }), "The audience to ask for, as Auth0 and others have it.", usual: "none"),
    ]
    private static let reading: [Key<TokenParts>] = [
        .optional("json", \.json, .text("members like \"access_token\" or \"data.token\"", schema: Schema.fullText, { $0.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty } }), "The member of the JSON that is the token, with dots between several; expires_in beside it is heeded. Required with \"login\".", usual: "the text is the token"),
    ]
    private static let places: [Key<TokenParts>] = [
        .own("field", "a field's name like \"X-Api-Key\"", Schema.fullText, "The header field that it stands in, in the place of the client's.", usual: "Authorization") { $2.field = TokenParts.field($0, $1) },
        .optional("prefix", \.prefix, .text("a text like \"Token \"", { $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } && $0.first != " " }), "What stands in front of it in the field.", usual: "\"Bearer \" in Authorization, else nothing"),
        .own("cookie", "a cookie's name like \"session\"", Schema.fullText, "The cookie that it is, in the place of the client's.", usual: "it stands in a field") { $2.cookie = TokenParts.cookie($0, $1) },
        .own("query", "a parameter's name like \"access_token\"", Schema.fullText, "The parameter of the query that it is, in the place of the client's.", usual: "it stands in a field") { $2.query = TokenParts.query($0, $1) },
        .one("allRoutes", \.isForAllRoutes, .flag, "Whether all routes with an origin have it, but those with \"token\": false; else those with \"token\": true.", default: false),
        .one("production", \.isForProduction, .flag, "Whether it may be fetched and put into requests to production; required in a profile of that kind.", default: false),
    ]
    private static let variable = "the name of an environment variable like \"STAGING_TOKEN\""
    static let expected = #"an object like { "run": "gcloud auth print-access-token" }, or false"#
}
