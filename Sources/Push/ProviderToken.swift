import Bytes
import JSON

/// A provider authentication token: a JSON Web Token (RFC 7519) that is signed with ES256.
public struct ProviderToken: Sendable {
    /// Seconds that APNs accepts a token for, and seconds before it accepts another one.
    public static let (maxAge, minAge): (Int64, Int64) = (3600, 1200)

    public let algorithm: String
    public let keyID: String
    public let teamID: String
    /// Seconds since 1970, as its provider names them.
    let issuedAt: UntrustedNumber
    let signature: [UInt8]
    let signed: [UInt8]

    /// Reads a token's text; nil where it is none, or lacks a member that APNs asks for.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, text.utf8.count <= 4096,
            let head = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Base64Decoder.bytes(String(parts[2])),
            let algorithm = head["alg"]?.string, let keyID = head["kid"]?.string,
            let teamID = claims["iss"]?.string, let issuedAt = claims["iat"]?.number?.int64
        else { return nil }
        (self.algorithm, self.keyID, self.teamID, self.issuedAt) = (algorithm, keyID, teamID, UntrustedNumber(issuedAt))
        self.signature = signature
        signed = Array("\(parts[0]).\(parts[1])".utf8)
    }

    private static func object(_ part: Substring) -> JSONValue? {
        guard let bytes = Base64Decoder.bytes(String(part)),
            let value = try? JSONReader.read(bytes, dialect: .strict), value.object != nil
        else { return nil }
        return value
    }

    /// The token within the value of an Authorization field: `bearer …`.
    public static func text(inAuthorization value: String) -> String? {
        let words = value.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return String(words[1])
    }

    public func isSigned(by key: ProviderKey) -> Bool { key.verifies(signature, of: signed) }

    /// Ten letters and digits, as Apple gives them to keys and teams.
    public static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count == 10 && text.utf8.allSatisfy { $0 &- 0x41 < 26 || $0 &- 0x30 < 10 }
    }

    /// The text of a new token; nil if the key cannot sign.
    /// - Parameter now: seconds since 1970.
    public static func text(signedBy key: ProviderKey, keyID: String, teamID: String, at now: Int64) -> String? {
        let head = #"{"alg":"ES256","kid":"\#(keyID)","typ":"JWT"}"#
        let claims = #"{"iss":"\#(teamID)","iat":\#(now)}"#
        let signed = "\(part(Array(head.utf8))).\(part(Array(claims.utf8)))"
        return key.sign(Array(signed.utf8)).map { "\(signed).\(part($0))" }
    }

    /// Base64 for URLs, without padding (RFC 7515 2).
    private static func part(_ bytes: [UInt8]) -> String {
        let text = Base64Encoder.text(bytes).utf8.filter { $0 != UInt8(ascii: "=") }
        return String(
            decoding: text.map {
                $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
            }, as: UTF8.self)
    }
}
