import Bytes
import JSON
import TLS

/// The token of a user, without its secret.
///
/// As text it is `shunt_ID_SECRET`: 12 and 64 hexadecimal digits in lower case. The identifier is public and finds the
/// entry, so that no search says anything about a secret. Of the secret, 256 random bits, its SHA-256 is kept: nothing
/// that has so many random bits can be found by trying, so that a slow hash would only cost time.
public struct UserToken: Sendable, Equatable {
    static let prefix = "shunt_"
    private static let idLength = 12
    private static let secretLength = 64

    public let id: String
    public let user: String
    public let permissions: Set<Permission>
    /// Seconds since 1970.
    public let created: Int64
    /// Seconds since 1970; nil for no end.
    public let until: Int64?
    /// SHA-256 of the secret's text.
    let digest: [UInt8]

    /// Makes one, and its text, which is not kept.
    ///
    /// - Returns: nil when OpenSSL is out of memory.
    public static func make(
        for user: String, _ permissions: Set<Permission>, created: Int64, until: Int64?
    ) -> (token: UserToken, text: String)? {
        let id = random(idLength / 2)
        let secret = random(secretLength / 2)
        guard let digest = sha256(ContiguousArray(secret.utf8).span) else { return nil }
        let token = UserToken(
            id: id, user: user, permissions: permissions, created: created, until: until, digest: digest)
        return (token, "\(prefix)\(id)_\(secret)")
    }

    private static func random(_ count: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return Hex.text((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    /// The identifier and the secret of a token's text; nil for another text.
    static func parts(_ text: some StringProtocol) -> (id: String, secret: String)? {
        let bytes = Array(text.utf8)
        let start = prefix.utf8.count
        guard bytes.count == start + idLength + 1 + secretLength, bytes.starts(with: prefix.utf8),
            bytes[start + idLength] == UInt8(ascii: "_")
        else { return nil }
        let (id, secret) = (bytes[start..<start + idLength], bytes[(start + idLength + 1)...])
        guard (id + secret).allSatisfy(isDigit) else { return nil }
        return (String(decoding: id, as: UTF8.self), String(decoding: secret, as: UTF8.self))
    }

    /// Whether a text has a token somewhere, or most of one.
    static func isIn(_ text: String) -> Bool {
        text.split(separator: "shunt_").dropFirst(text.hasPrefix(prefix) ? 0 : 1).contains { rest in
            let bytes = Array(rest.utf8.prefix(idLength + 1))
            guard bytes.count == idLength + 1, bytes.last == UInt8(ascii: "_") else { return false }
            return bytes.dropLast().allSatisfy(isDigit)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) }

    /// Whether a text has the form of an identifier.
    static func isID(_ text: String) -> Bool { text.utf8.count == idLength && text.utf8.allSatisfy(isDigit) }

    /// Whether a name can be a user's: short, good on a command line and in a file, and no identifier's look-alike.
    public static func isName(_ name: String) -> Bool {
        guard (1...32).contains(name.utf8.count), !isID(name), name != Caller.ownerName,
            let first = name.utf8.first, (0x30...0x39).contains(first) || (0x61...0x7a).contains(first)
        else { return false }
        return name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte) || ".-_".utf8.contains(byte)
        }
    }

    public func isOver(now: Int64) -> Bool { until.map { $0 <= now } ?? false }
}

extension UserToken {
    /// As the admin interface shows it.
    var record: Record<API.Token> {
        Record {
            $0.id = id
            $0.user = user
            $0.may = permissions.names
            $0.created = Int(created)
            $0.until = until.map { Int($0) }
        }
    }

    /// With the digest, as the file has it.
    func write(to object: inout JSONWriter) {
        record.writeMembers(to: &object)
        object.member("sha256", Hex.text(digest))
    }

    /// nil where anything is missing or not as it was written, so that the token does not count.
    init?(_ value: JSONValue) {
        let names = value["may"]?.array?.compactMap(\.string) ?? []
        let permissions = names.compactMap(Permission.init)
        guard let id = value["id"]?.string, Self.isID(id), let user = value["user"]?.string, Self.isName(user),
            permissions.count == names.count, let created = value["created"]?.number?.int64,
            let digest = value["sha256"]?.string.flatMap({ Hex.bytes($0) }), digest.count == 32
        else { return nil }
        let until = value["until"]?.number?.int64
        guard until != nil || value["until"]?.isNull == true else { return nil }
        self.init(id: id, user: user, permissions: Set(permissions), created: created, until: until, digest: digest)
    }

    package static func list(_ tokens: [UserToken]) -> Record<API.Tokens> {
        Record { $0.tokens = tokens.map(\.record) }
    }

    /// A new one, with the text that is shown once.
    package func made(_ text: String) -> Record<API.NewToken> {
        Record {
            $0.token = text
            $0.id = id
            $0.user = user
            $0.may = permissions.names
            $0.created = Int(created)
            $0.until = until.map { Int($0) }
        }
    }
}
