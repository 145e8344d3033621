import Bytes
import HTTP
import JSON
import Platform
import Profiles
import Reactor
import Redaction

/// Asks a token endpoint for a token (RFC 6749 4.4.2 and 6), on a connection of its own.
struct OAuthRequest {
    private let settings: TokenSettings
    private let grant: TokenSettings.OAuthGrant
    private let state: WorkerState
    private let waiter: Waiter

    init(_ settings: TokenSettings, _ grant: TokenSettings.OAuthGrant, _ state: WorkerState, _ waiter: Waiter) {
        (self.settings, self.grant, self.state, self.waiter) = (settings, grant, state, waiter)
    }

    func run(by use: TokenUse) async throws(TokenTrouble) -> TokenAnswer {
        guard let plan = use.endpoint else { throw settings.trouble("cannot be asked", advice: "Reload the profiles") }
        let end = waiter.deadline
        let clientSecret = try await secret(grant.clientSecret)
        var refreshToken = use.token.refreshToken
        if refreshToken == nil { refreshToken = try await secret(grant.refreshToken) }
        for secret in [clientSecret, refreshToken].compactMap(\.self) { use.token.secrets.add(secret) }
        let content = Array(content(refreshToken, hasSecret: clientSecret != nil).utf8)
        let head = Array(head(plan, clientSecret, length: content.count).utf8)
        let pool = OriginPool(plan, limit: 0)
        defer { pool.close() }
        let connection: OriginConnection
        do throws(EngineFailure) {
            connection = try await state.connector.connect(
                pool, state, waiter, within: state.limits.connectTime, alpn: ["http/1.1"])
        } catch {
            throw settings.trouble("cannot be asked: \(error.message)", advice: error.advice ?? "Look at the server")
        }
        defer { connection.close() }
        connection.channel.notify(waiter)
        waiter.deadline = end
        return try await ask(connection, head, content)
    }

    private func ask(
        _ connection: OriginConnection, _ head: [UInt8], _ content: [UInt8]
    ) async throws(TokenTrouble) -> TokenAnswer {
        var exchange = SmallExchange(connection.channel, waiter)
        let isWhole: Bool
        do throws(SmallExchange.Failure) {
            try await exchange.ask(head, content: content)
            isWhole = try await exchange.readContent(limit: TokenFetch.maxLength)
        } catch {
            throw settings.trouble(error.reason, advice: "Look at the server")
        }
        let status = exchange.head.status
        guard status == 200 || status == 201 else {
            throw settings.trouble(
                "responded with \(status)\(Self.code(in: exchange.content))",
                advice: "Check \"clientID\", its secret, \"scope\" and \"audience\" of the token")
        }
        guard isWhole else {
            throw settings.trouble("sent more than \(TokenFetch.maxLength >> 10) KiB", advice: "Check \"tokenURL\"")
        }
        do throws(TokenText.Fault) {
            return try TokenText.answer(in: exchange.content, path: settings.path, now: state.clock())
        } catch {
            throw settings.trouble("sent \(error.reason)", advice: "Check \"tokenURL\"")
        }
    }

    private func content(_ refreshToken: String?, hasSecret: Bool) -> String {
        var parameters = [("grant_type", refreshToken == nil ? "client_credentials" : "refresh_token")]
        if let refreshToken { parameters.append(("refresh_token", refreshToken)) }
        // The field Authorization names a client that has a secret (RFC 6749 2.3.1).
        if !hasSecret { parameters.append(("client_id", grant.clientID)) }
        if let scope = grant.scope { parameters.append(("scope", scope)) }
        if let audience = grant.audience { parameters.append(("audience", audience)) }
        return parameters.map { "\($0.0)=\(FormCoding.encoded($0.1))" }.joined(separator: "&")
    }

    private func head(_ plan: OriginPlan, _ secret: String?, length: Int) -> String {
        var head = "POST \(plan.address.basePath.isEmpty ? "/" : plan.address.basePath) HTTP/1.1\r\n"
        head += "Host: \(plan.address.authority)\r\nUser-Agent: shunt\r\nAccept: application/json\r\n"
        if let secret {
            let pair = "\(FormCoding.encoded(grant.clientID)):\(FormCoding.encoded(secret))"
            head += "Authorization: Basic \(Base64Encoder.text(Array(pair.utf8)))\r\n"
        }
        return head + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(length)\r\n"
            + "Connection: close\r\n\r\n"
    }

    private func secret(_ place: TokenSettings.SecretPlace?) async throws(TokenTrouble) -> String? {
        let bytes: [UInt8]
        switch place {
        case nil: return nil
        case .variable(let name)?:
            guard let value = getenv(name) else {
                throw settings.trouble("needs $\(name), which is not set", advice: "Set it before Shunt starts")
            }
            return String(cString: value)
        case .file(let path)?:
            switch await SecretFile.read(path, waiter, state) {
            case .success(let read): bytes = read
            case .failure(let trouble):
                throw settings.trouble("needs \(path), which \(trouble.message)", advice: trouble.advice)
            }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        return String(text.prefix { $0 != "\n" && $0 != "\r\n" })
    }

    /// The error's code (RFC 6749 5.2), and none of the texts beside it, which may repeat a secret.
    private static func code(in content: [UInt8]) -> String {
        guard let json = try? JSONReader.read(content, dialect: .strict), let code = json["error"]?.string,
            codes.contains(code)
        else { return "" }
        return " \(code)"
    }

    private static let codes = [
        "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
        "invalid_scope", "access_denied",
    ]
}
