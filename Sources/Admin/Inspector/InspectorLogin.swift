import Engine
import Reactor
import Synchronization

/// Logs browsers in: one-time codes, and the requests that carry what a login left.
final class InspectorLogin: Sendable {
    /// Seconds that a code is valid.
    static let seconds = 120
    /// Codes that are valid at the same time; the oldest one gives way.
    private static let maxCodes = 8
    /// The field with the key; other origins cannot send it without a preflight, which is refused.
    static let keyField = "Shunt-Inspector"

    private let secrets: InspectorSecrets
    private let codes = Mutex<[(code: AdminToken, end: Instant)]>([])

    init(_ secrets: InspectorSecrets) { self.secrets = secrets }

    /// A code for one login.
    func issueCode(now: Instant = .now()) -> String {
        let code = AdminToken.random()
        codes.withLock { codes in
            if codes.count >= Self.maxCodes { codes.removeFirst() }
            codes.append((code, now.after(UInt64(Self.seconds) * Limits.second)))
        }
        return code.text
    }

    /// Uses a code up; returns the key, or nil for a code that is not valid.
    func redeem(_ text: String, now: Instant = .now()) -> String? {
        codes.withLock { codes in
            codes.removeAll { $0.end <= now }
            guard let index = codes.firstIndex(where: { $0.code.equals(text) }) else { return nil }
            codes.remove(at: index)
            return secrets.key.text
        }
    }

    /// Cookies ignore ports: each Shunt at this host needs a name of its own.
    static func cookieName(_ port: UInt16) -> String { "shunt-inspector-\(port)" }

    func setCookie(_ port: UInt16) -> String {
        "\(Self.cookieName(port))=\(secrets.cookie.text); Path=/; HttpOnly; SameSite=Strict"
    }

    /// Whether a request has the cookie, which is enough for the page itself: it holds no secret.
    func hasCookie(_ request: HandledRequest, _ port: UInt16) -> Bool {
        let name = Self.cookieName(port)
        return request.fields.filter { $0.name.lowercased() == "cookie" }
            .flatMap { $0.value.split(separator: ";") }
            .contains { pair in
                let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                return parts.count == 2 && parts[0] == name && secrets.cookie.equals(parts[1])
            }
    }

    /// Whether a request comes from the inspector's own page, logged in.
    func admits(_ request: HandledRequest, _ port: UInt16) -> Bool {
        let sites = request.fields.filter { $0.name.lowercased() == "sec-fetch-site" }
        // Another port of this host is the same site, but not the same origin.
        guard sites.allSatisfy({ $0.value == "same-origin" }), let key = request.field(Self.keyField) else {
            return false
        }
        return secrets.key.equals(key) && hasCookie(request, port)
    }
}
