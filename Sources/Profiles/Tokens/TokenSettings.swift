/// The token that a profile puts into requests: where it comes from, and where it stands.
package struct TokenSettings: Hashable, Sendable {
    package enum Source: Hashable, Sendable {
        case oauth(OAuthGrant)
        /// A command of the shell, which runs in a folder.
        case command(String, directory: String)
        case variable(String)
        /// An absolute path.
        case file(String)
        /// Responses to requests for paths.
        case login(PathPattern)
    }

    /// How a token endpoint is asked (RFC 6749 4.4 and 6).
    package struct OAuthGrant: Hashable, Sendable {
        package let endpoint: OriginAddress
        package let clientID: String
        package let clientSecret: SecretPlace?
        /// nil for client credentials.
        package let refreshToken: SecretPlace?
        package let scope: String?
        package let audience: String?
    }

    /// Where a secret is, which never stands in a profile.
    package enum SecretPlace: Hashable, Sendable, CustomStringConvertible {
        case variable(String)
        /// An absolute path.
        case file(String)

        package var description: String {
            switch self {
            case .variable(let name): "$\(name)"
            case .file(let path): path
            }
        }
    }

    /// Where it stands in requests.
    package enum Place: Hashable, Sendable, CustomStringConvertible {
        case field(String, prefix: String)
        case cookie(String)
        case query(String)

        package var name: String {
            switch self {
            case .field(let name, _), .cookie(let name), .query(let name): name
            }
        }

        package var description: String {
            switch self {
            case .field(let name, _): name
            case .cookie(let name): "the cookie \(name)"
            case .query(let name): "the query's \(name)"
            }
        }
    }

    /// The profile that has it, which may be one that is extended.
    package let profile: String
    package let source: Source
    package let place: Place
    /// The members that lead to it in JSON; empty where the text is the token.
    package let path: [String]
    /// It may be fetched for production.
    package let isForProduction: Bool
    /// Routes that do not say anything have it, too.
    package let isForAllRoutes: Bool

    /// In words, without anything that is secret.
    package var sourceText: String {
        switch source {
        case .oauth(let grant):
            (grant.refreshToken == nil ? "client credentials" : "a refresh token") + " at \(grant.endpoint)"
        case .command(let command, _): "the command `\(ProgramSettings.name(of: command))`"
        case .variable(let name): "the environment variable \(name)"
        case .file(let path): "the file \(path)"
        case .login(let path): "responses to \(path)"
        }
    }
}

extension Profile {
    /// What is put into a route's requests; nil for none.
    package func token(of route: Route) -> TokenSettings? {
        guard let token, !route.isPassthrough, !route.responder.addresses.isEmpty, !(route.first is PushSettings)
        else { return nil }
        return route.settings.token ?? token.isForAllRoutes ? token : nil
    }
}
