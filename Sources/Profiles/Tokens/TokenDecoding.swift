import JSON

/// What a profile has under `token`, as its keys are read one by one.
struct TokenParts {
    var endpoint: OriginURL?
    var command: String?
    var variable: String?
    var file: String?
    var login: PathPattern?
    var clientID: String?
    var clientSecret: TokenSettings.SecretPlace?
    var refreshToken: TokenSettings.SecretPlace?
    var scope: String?
    var audience: String?
    var json: String?
    var field: String?
    var prefix: String?
    var cookie: String?
    var query: String?
    var isForAllRoutes = false
    var isForProduction = false
}

/// What a profile says under `token`, before it is known how the endpoint's certificate is judged.
enum TokenSource {
    /// What is below does not count.
    case none
    case parts(TokenParts, directory: String, place: JSONPosition)
}

/// What stands under `token`; nil without the key, and none after a report.
func decodeToken(_ profile: Fields) -> TokenSource? {
    guard let value = profile["token"] else { return nil }
    if value.bool == false { return TokenSource.none }
    var parts = TokenParts()
    let before = profile.reporter.problems.all.count
    guard let fields = TokenParts.keys.read("token", of: profile, into: &parts) else { return TokenSource.none }
    parts.check(fields)
    guard profile.reporter.problems.all.count == before else { return TokenSource.none }
    return .parts(parts, directory: profile.reporter.absolute("."), place: value.position)
}

extension TokenParts {
    /// Reports keys that do not fit together.
    fileprivate func check(_ fields: Fields) {
        let names = Self.sources.map(\.name)
        let given = names.filter { fields[$0] != nil }
        let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
        guard let source = given.first else {
            return fields.report(
                fields.place, "the token has no source", expected: "one of \(list)",
                hint: "\"token\": false is for a profile without one")
        }
        for other in given.dropFirst() {
            fields.report(fields.member(other), "\"\(other)\" beside \"\(source)\"", expected: "one of \(list)")
        }
        for key in Self.grants.map(\.name) where source != "tokenURL" {
            guard let member = fields.member(key) else { continue }
            fields.report(member, "\"\(key)\" beside \"\(source)\"", expected: "it beside \"tokenURL\"")
        }
        if source == "tokenURL", fields["clientID"] == nil {
            fields.report(fields.place, "\"tokenURL\" without \"clientID\"", expected: "both")
        }
        one(of: ["clientSecretVariable", "clientSecretFile"], fields)
        one(of: ["refreshTokenVariable", "refreshTokenFile"], fields)
        one(of: ["field", "cookie", "query"], fields)
        if source == "login", fields["json"] == nil {
            fields.report(
                fields.place, "\"login\" without \"json\"",
                expected: "the member that is the token, like \"json\": \"access_token\"")
        }
        if let member = fields.member("json"), source == "tokenURL" || source == "variable" {
            fields.report(member, "\"json\" beside \"\(source)\"", expected: "it beside \"run\", \"file\" or \"login\"")
        }
        if let member = fields.member("prefix"), cookie != nil || query != nil {
            fields.report(member, "\"prefix\" of a token that stands in no field", expected: "it beside \"field\"")
        }
    }

    private func one(of keys: [String], _ fields: Fields) {
        let given = keys.compactMap { fields.member($0) }
        for other in given.dropFirst() {
            fields.report(other, "\"\(other.key)\" beside \"\(given[0].key)\"", expected: "one of them")
        }
    }

    // MARK: Keys

    static func endpoint(_ member: JSONMember, _ fields: Fields) -> OriginURL? {
        guard let text = fields.string(member.key) else { return nil }
        let url = fields.reporter.attempt(member.value.position) { () throws(Refusal) in
            try OriginURL(parsing: text)
        }
        guard let url, !url.isHTTP2 else {
            if url != nil {
                fields.report(member.value, "\"tokenURL\" has the scheme \"h2c\"", expected: "https or http")
            }
            return nil
        }
        return url
    }

    /// The message does not repeat what is no name: it may be the secret.
    static func variable(_ member: JSONMember, _ fields: Fields) -> String? {
        guard let text = fields.string(member.key) else { return nil }
        if isVariableName(text) { return text }
        return fields.refuse(
            member.value, "\"\(member.key)\" is no name of an environment variable",
            expected: "a name like \"STAGING_TOKEN\"", hint: "the variable itself holds the secret")
    }

    static func file(_ member: JSONMember, _ fields: Fields) -> String? {
        guard let text = fields.string(member.key) else { return nil }
        if !text.isEmpty, !text.utf8.contains(0) { return fields.reporter.absolute(text) }
        return fields.refuse(member.value, "\"\(member.key)\" names no file", expected: fields.expected(of: member.key))
    }

    static func path(_ member: JSONMember, _ fields: Fields) -> PathPattern? {
        guard let text = fields.string(member.key) else { return nil }
        return fields.reporter.attempt(member.value.position) { () throws(Refusal) in try PathPattern(parsing: text) }
    }

    static func field(_ member: JSONMember, _ fields: Fields) -> String? {
        guard let text = fields.string(member.key) else { return nil }
        guard checkFieldName(text, member.value.position, fields, .request) else { return nil }
        let name = text.lowercased()
        let isFraming = ["cookie", "content-type", "content-encoding", "accept-encoding", "origin", "referer", "range"]
        if isFraming.contains(name) || name.hasPrefix("proxy-") || name.hasPrefix("x-forwarded-") {
            return fields.refuse(
                member.value, "no token stands in the field \"\(text)\"", expected: "another field",
                hint: name == "cookie" ? "\"cookie\" names the cookie that it is" : nil)
        }
        return isRead(byGuard: text) ? refuse(member, fields) : text
    }

    static func cookie(_ member: JSONMember, _ fields: Fields) -> String? {
        guard let text = fields.string(member.key) else { return nil }
        if isToken(text) { return text }
        return fields.refuse(member.value, "\"\(text)\" is no cookie's name", expected: fields.expected(of: member.key))
    }

    static func query(_ member: JSONMember, _ fields: Fields) -> String? {
        guard let text = fields.string(member.key) else { return nil }
        if text.isEmpty {
            return fields.refuse(member.value, "a parameter without a name", expected: "access_token, say")
        }
        let isGraphQL = ["query", "operationName", "variables", "extensions"].contains(text)
        return isGraphQL || isRead(byGuard: text) ? refuse(member, fields) : text
    }

    /// It may make another request of one that the guard of production has let through.
    private static func isRead(byGuard name: String) -> Bool {
        MethodOverride.demand(of: name.utf8) != nil || TargetOverride.isNamed(Array(name.utf8))
            || ["operationname", "persisted", "documentid", "queryid"].contains {
                name.lowercased().filter(\.isLetter).contains($0)
            }
    }

    private static func refuse(_ member: JSONMember, _ fields: Fields) -> String? {
        return fields.refuse(
            member.value, "servers may take \"\(member.value.string ?? "")\" for more than a token",
            expected: fields.expected(of: member.key), hint: "the guard of production goes by that name")
    }
}

extension TokenSource {
    /// The settings under the trust of a profile, with the index of the endpoint's rule.
    func settings(of profile: String, _ trust: TrustTable) -> (TokenSettings, rule: Int?)? {
        guard case .parts(let parts, let directory, _) = self else { return nil }
        let source: TokenSettings.Source
        var rule: Int?
        if let url = parts.endpoint {
            let (address, found) = trust.address(of: url)
            rule = found
            source = .oauth(
                TokenSettings.OAuthGrant(
                    endpoint: address, clientID: parts.clientID ?? "", clientSecret: parts.clientSecret,
                    refreshToken: parts.refreshToken, scope: parts.scope, audience: parts.audience))
        } else if let command = parts.command {
            source = .command(command, directory: directory)
        } else if let name = parts.variable {
            source = .variable(name)
        } else if let path = parts.file {
            source = .file(path)
        } else if let path = parts.login {
            source = .login(path)
        } else {
            return nil
        }
        let place: TokenSettings.Place
        if let name = parts.cookie {
            place = .cookie(name)
        } else if let name = parts.query {
            place = .query(name)
        } else {
            let name = parts.field ?? "Authorization"
            place = .field(name, prefix: parts.prefix ?? (name.lowercased() == "authorization" ? "Bearer " : ""))
        }
        let path = parts.json.map { $0.split(separator: ".").map(String.init) }
        return (
            TokenSettings(
                profile: profile, source: source, place: place,
                path: path ?? (parts.endpoint == nil ? [] : ["access_token"]),
                isForProduction: parts.isForProduction, isForAllRoutes: parts.isForAllRoutes),
            rule
        )
    }
}
