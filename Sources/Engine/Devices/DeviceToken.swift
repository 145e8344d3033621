import Bytes
import TLS

/// The secret that a paired device sends in a cookie: 128 random bits, as 32 hexadecimal digits.
public enum DeviceToken {
    /// The name of the cookie; it is not sent to origins.
    public static let cookie = "shunt-device"

    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return Hex.text((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    /// Where the next token lies in the value of a `Cookie` field (RFC 6265 section 4.2.1); nil behind the last one.
    ///
    /// There may be several: a page can set cookies of this name for other paths, which browsers send first.
    ///
    /// - Parameter start: where to look from, 0 at first; is moved on behind the token.
    public static func next(inCookie value: Span<UInt8>, from start: inout Int) -> Range<Int>? {
        OwnCookie.next("shunt-device", in: value, from: &start)
    }

    /// The key that a form must contain to change the device of this token.
    ///
    /// It is derived from the token, so that nothing has to be kept, and does not reveal it.
    static func formKey(of token: Span<UInt8>) -> String? {
        var bytes = Array("form ".utf8)
        for index in token.indices { bytes.append(token[index]) }
        return sha256(bytes.span).map { Hex.text($0.prefix(16)) }
    }
}

/// SHA-256 of a device's token: all that is kept of it.
///
/// Equal digests are searched for in a hash table: the time of the search reveals nothing about a guessed token.
public struct TokenDigest: Sendable, Hashable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// - Parameter bytes: 32 of them, or the result is nil.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        var words: [UInt64] = [0, 0, 0, 0]
        for (index, byte) in bytes.enumerated() { words[index / 8] = words[index / 8] << 8 | UInt64(byte) }
        self.words = (words[0], words[1], words[2], words[3])
    }

    /// The digest of a token as a client shows it; nil for a malformed token.
    public init?(of token: Span<UInt8>) {
        guard token.count == 32, let digest = sha256(token) else { return nil }
        self.init(bytes: digest)
    }

    /// Most significant byte first.
    public var bytes: [UInt8] {
        [words.0, words.1, words.2, words.3].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
        }
    }

    public static func == (left: TokenDigest, right: TokenDigest) -> Bool { left.words == right.words }

    public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
