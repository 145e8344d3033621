import Bytes
import Platform

/// Finds segments of a path that are secrets: those behind `/reset-password/`, `/invite/`, `/magic/` and the like.
///
/// Such a segment counts unless it is a plain word or a short number: `/verify/status` and `/invite/42` stay.
enum PathSecrets {
    /// Such segments of a path, each with the one that names it.
    ///
    /// - Parameter isQuoted: it is of a URL in a text. Segments then have to look like secrets, too, since texts have links
    ///   to pages about all of this.
    static func all(
        in bytes: Span<UInt8>, _ path: Range<Int>, _ encoding: TextEncoding, isQuoted: Bool, _ names: SecretNames
    ) -> [(name: Range<Int>, secret: Range<Int>)] {
        var found: [(name: Range<Int>, secret: Range<Int>)] = []
        var name: Range<Int>?
        // The last ones.
        var (first, second, third) = (0..<0, 0..<0, 0..<0)
        var start = path.lowerBound
        while start < path.upperBound {
            var end = start
            while end < path.upperBound, slash(bytes, end, encoding) == 0 { end += 1 }
            let segment = start..<end
            let plain = encoding == .plain ? [] : encoding.plain(bytes, segment)
            let text = encoding == .plain ? bytes.extracting(segment) : plain.span
            if let name, !isPlain(text), !isQuoted || ValueLook.isLikely(text) {
                found.append((name, segment))
            } else if !isQuoted, let name = address(bytes, segment, from: path.lowerBound) {
                found.append((name, segment))
            } else if !isQuoted, let token = DeviceTokens.first(in: bytes, path, segment: segment) {
                found.append(token)
                name = token.name
            } else if isBot(text) {
                found.append((start..<start + 3, start + 3..<end))
            } else if text.count >= shortestHook, bytes.extracting(first).spells("services"),
                bytes.extracting(second.prefix(1)).spells("t"), bytes.extracting(third.prefix(1)).spells("b")
            {
                found.append((first, segment))
            } else if end < path.upperBound || isQuoted, isName(text, names) {
                name = segment
            }
            (first, second, third) = (second, third, segment)
            start = end + max(1, slash(bytes, end, encoding))
        }
        return found
    }

    /// The segment in front of the secret part of an address for push notifications.
    private static func address(_ bytes: Span<UInt8>, _ segment: Range<Int>, from lower: Int) -> Range<Int>? {
        guard segment.count >= shortestAddress else { return nil }
        for (prefix, name) in addresses {
            let start = segment.lowerBound - prefix.utf8CodeUnitCount
            let text = UnsafeRawBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
            guard start >= lower, bytes.equals(start..<segment.lowerBound, text) else { continue }
            return segment.lowerBound - 1 - name..<segment.lowerBound - 1
        }
        return nil
    }

    /// What FCM and Mozilla's service give to browsers: what stands in front, and how long the last segment of that is.
    private static let addresses: [(prefix: StaticString, name: Int)] = [
        ("/fcm/send/", 4), ("/wpush/v1/", 2), ("/wpush/v2/", 2),
    ]
    private static let shortestAddress = 64

    /// What is a bot of Telegram, `/bot1:SECRET`; channels of Slack are `/services/T…/B…/SECRET`.
    private static func isBot(_ segment: Span<UInt8>) -> Bool {
        segment.count >= shortestHook && segment.extracting(0..<3).spells("bot") && segment[3] &- 0x30 < 10
            && ByteSearch.either(UInt8(ascii: ":"), UInt8(ascii: "%"), in: segment, from: 0, to: segment.count)
                < segment.count
    }

    private static let shortestHook = 15

    /// The length of a slash as it is written, or 0.
    static func slash(_ bytes: Span<UInt8>, _ index: Int, _ encoding: TextEncoding) -> Int {
        guard index < bytes.count else { return 0 }
        if bytes[index] == UInt8(ascii: "/") { return 1 }
        if encoding == .json, bytes[index] == UInt8(ascii: "\\") { return 2 }
        let isEscape = encoding == .form && bytes[index] == UInt8(ascii: "%") && index + 2 < bytes.count
        return isEscape && bytes[index + 1] == 0x32 && bytes[index + 2] | 0x20 == 0x66 ? 3 : 0
    }

    private static func isName(_ segment: Span<UInt8>, _ names: SecretNames) -> Bool {
        guard segment.count >= 3, segment.count <= 40 else { return false }
        let scan = NameScan(segment)
        return (scan.hasSecretWord || hashes.contains(scan.hash)) && !names.keeps(segment)
    }

    /// A word in small letters, perhaps several with `-` or `_` between, a version, a short number, a replacement.
    private static func isPlain(_ segment: Span<UInt8>) -> Bool {
        // In a route's pattern `*` stands for any segment.
        if segment.count == 1, segment[0] == UInt8(ascii: "*") { return true }
        if isReplacement(segment) { return true }
        var (word, digits, letters) = (0, 0, 0)
        for index in 0..<segment.count {
            switch segment[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"):
                word += 1
                letters += 1
                if word > longestWord { return false }
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits += 1
            case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): word = 0
            default: return false
            }
        }
        // `v1`, `42`, `oauth2`; a code by mail has six digits.
        return digits == 0 || (digits <= 4 && letters == 0) || (digits == 1 && segment.count <= 8)
    }

    private static func isReplacement(_ segment: Span<UInt8>) -> Bool {
        guard segment.count > 24, segment[0] == UInt8(ascii: "%") else { return false }
        let text = segment.withUnsafeBytes { Array($0) }
        return Replacement.places(in: text).first?.place == text.indices
    }

    private static let longestWord = 16

    private static let hashes: Set<UInt64> = Set(
        [
            "reset", "passwordreset", "resetpassword", "forgotpassword", "recover", "recovery", "verify",
            "verifyemail", "verification", "confirm", "confirmemail", "confirmation", "activate", "activation",
            "invite",
            "invites", "invitation", "invitations", "acceptinvite", "acceptinvitation", "magic", "magiclink",
            "magiclinks", "magiclogin", "signinlink", "loginlink", "passwordless", "unlock", "unsubscribe", "otp",
            "sso",
            "session", "sessions", "sid", "jwt", "apikeys", "webhook", "webhooks", "webhookb2",
            "incomingwebhook", "invitelink", "setpassword", "newpassword", "resetlink", "activateaccount",
            "emailverification", "validateemail",
        ].map { name in Array(name.utf8).withSpan { NameScan.hash($0) } })
}
