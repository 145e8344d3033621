import Engine
import Reactor
import Synchronization

/// Logs browsers in: one-time codes, and the requests that carry what a login left.
final class InspectorLogin: Sendable {
    /// The person whose browser it is.
    enum Person: Sendable {
        case owner
        /// The user with this token.
        case user(token: String)
    }

    /// What a user's browser has; it lasts as long as the token, or until Shunt ends.
    private struct Session {
        let cookie: AdminToken
        let key: AdminToken
        let token: String
    }

    /// Seconds that a code is valid.
    static let seconds = 120
    /// Codes that are valid at the same time; the oldest one gives way.
    private static let maxCodes = 8
    /// Browsers of users that are logged in; the oldest one gives way.
    private static let maxSessions = 256
    /// The field with the key; other origins cannot send it without a preflight, which is refused.
    static let keyField = "Shunt-Inspector"

    private let secrets: InspectorSecrets
    private let codes = Mutex<[(code: AdminToken, person: Person, end: Instant)]>([])
    private let sessions = Mutex<[Session]>([])

    init(_ secrets: InspectorSecrets) { self.secrets = secrets }

    /// A code for one login.
    func issueCode(for person: Person, now: Instant = .now()) -> String {
        let code = AdminToken.random()
        codes.withLock { codes in
            codes.removeAll { $0.end <= now }
            if codes.count >= Self.maxCodes { codes.removeFirst() }
            codes.append((code, person, now.after(UInt64(Self.seconds) * Limits.second)))
        }
        return code.text
    }

    /// Uses a code up; returns whose it is, or nil for a code that is not valid.
    func redeem(_ text: String, now: Instant = .now()) -> Person? {
        codes.withLock { codes in
            codes.removeAll { $0.end <= now }
            guard let index = codes.firstIndex(where: { $0.code.equals(text) }) else { return nil }
            return codes.remove(at: index).person
        }
    }

    /// Logs a browser in, and returns its key and the field that sets its cookie.
    func begin(_ person: Person, _ door: AdminDoor) -> (key: String, setCookie: String) {
        switch person {
        case .owner: return (secrets.key.text, setCookie(secrets.cookie, door))
        case .user(let token):
            let session = Session(cookie: .random(), key: .random(), token: token)
            sessions.withLock { sessions in
                if sessions.count >= Self.maxSessions { sessions.removeFirst() }
                sessions.append(session)
            }
            return (session.key.text, setCookie(session.cookie, door))
        }
    }

    private func setCookie(_ cookie: AdminToken, _ door: AdminDoor) -> String {
        "\(door.cookieName)=\(cookie.text); Path=/; HttpOnly; SameSite=Strict" + (door.isRemote ? "; Secure" : "")
    }

    /// Whether a request has a cookie, which is enough for the page itself: it holds no secret.
    func hasCookie(_ request: HandledRequest, _ door: AdminDoor) -> Bool { !pairs(request, door).isEmpty }

    /// Whose browser it is, where the request comes from the inspector's own page, logged in.
    func login(of request: HandledRequest, _ door: AdminDoor) -> Person? {
        let sites = request.fields.filter { $0.name.lowercased() == "sec-fetch-site" }
        // Another port of this host is the same site, but not the same origin.
        guard sites.allSatisfy({ $0.value == "same-origin" }), let key = request.field(Self.keyField) else {
            return nil
        }
        return pairs(request, door).first { $0.key.equals(key) }?.person
    }

    /// The keys that go with the cookies of a request.
    private func pairs(_ request: HandledRequest, _ door: AdminDoor) -> [(key: AdminToken, person: Person)] {
        let name = door.cookieName
        let cookies = request.fields.filter { $0.name.lowercased() == "cookie" }
            .flatMap { $0.value.split(separator: ";") }
            .compactMap { pair in
                let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                return parts.count == 2 && parts[0] == name ? parts[1] : nil
            }
        guard !cookies.isEmpty else { return [] }
        var found = cookies.contains(where: secrets.cookie.equals) ? [(secrets.key, Person.owner)] : []
        found += sessions.withLock { sessions in
            sessions.filter { session in cookies.contains(where: session.cookie.equals) }
        }.map { ($0.key, .user(token: $0.token)) }
        return found
    }
}
