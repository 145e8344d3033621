import Bytes
import Platform

/// Finds segments of a path that are secrets: those behind `/reset-password/`, `/invite/`, `/magic/` and the like.
///
/// Such a segment counts unless it is a plain word or a short number: `/verify/status` and `/invite/42` stay.
enum PathSecrets {
    /// The first such segment of a path, and the one that names it, which may be in front of that path.
    static func first(
        in bytes: Span<UInt8>, _ path: Range<Int>, behind earlier: Range<Int>?, _ names: SecretNames
    ) -> (name: Range<Int>, secret: Range<Int>)? {
        var name = earlier
        var start = path.lowerBound
        while start < path.upperBound {
            let end = ByteSearch.byte(UInt8(ascii: "/"), in: bytes, from: start, to: path.upperBound)
            if let name, !isPlain(bytes, start..<end) { return (name, start..<end) }
            if let name = address(bytes, start..<end, from: path.lowerBound) { return (name, start..<end) }
            if let token = DeviceTokens.first(in: bytes, path, segment: start..<end) { return token }
            if end - start >= shortestHook {
                let last = segments(bytes, max(path.lowerBound, start - lookback)..<start)
                let texts = last.map { bytes.extracting($0).withUnsafeBytes { Array($0) } }
                if let begin = hook(bytes.extracting(start..<end), behind: texts) {
                    return (begin > 0 ? start..<start + begin : last[last.count - 3], start + begin..<end)
                }
            }
            if end < path.upperBound, isName(bytes.extracting(start..<end), names) { name = start..<end }
            start = end + 1
        }
        return nil
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

    /// Where in a segment the secret begins that lets everybody write to a channel of Slack, `/services/T…/B…/SECRET`, or be
    /// a bot of Telegram, `/bot1:SECRET`; nil if it has none.
    ///
    /// - Parameter path: the segments in front of it.
    private static func hook(_ segment: Span<UInt8>, behind path: [[UInt8]]) -> Int? {
        guard segment.count >= shortestHook else { return nil }
        if segment.extracting(0..<3).spells("bot"), segment[3] &- 0x30 < 10,
            ByteSearch.either(UInt8(ascii: ":"), UInt8(ascii: "%"), in: segment, from: 0, to: segment.count)
                < segment.count
        {
            return 3
        }
        let names = path.suffix(3)
        let isSlack =
            names.count == 3 && names[names.startIndex].elementsEqual("services".utf8)
            && names[names.startIndex + 1].first == UInt8(ascii: "T")
            && names[names.startIndex + 2].first == UInt8(ascii: "B")
        return isSlack ? 0 : nil
    }

    private static func segments(_ bytes: Span<UInt8>, _ path: Range<Int>) -> [Range<Int>] {
        var (found, start) = ([Range<Int>](), path.lowerBound)
        while start < path.upperBound {
            let end = ByteSearch.byte(UInt8(ascii: "/"), in: bytes, from: start, to: path.upperBound)
            found.append(start..<end)
            start = end + 1
        }
        return found
    }

    /// Bytes in front of a segment that are looked at, so that a path of many segments costs no more than its length.
    private static let lookback = 64
    private static let shortestHook = 15

    /// The secrets in the path of a URL in a text, from the first to the last one, or nil.
    ///
    /// Here a segment also has to look like a secret, for texts have links to pages about all of this.
    static func link(
        in bytes: Span<UInt8>, _ path: Range<Int>, _ encoding: TextEncoding, _ names: SecretNames
    ) -> Range<Int>? {
        var isBehindName = false
        var last: [[UInt8]] = []
        var found: Range<Int>?
        var start = path.lowerBound
        while start < path.upperBound {
            var end = start
            while end < path.upperBound, slash(bytes, end, encoding) == 0 { end += 1 }
            let text = encoding.plain(bytes, start..<end)
            let isSecret = isBehindName && ValueLook.isLikely(text.span) && !isPlain(text.span, 0..<text.count)
            var secret = isSecret ? start..<end : nil
            if secret == nil, let begin = hook(text.span, behind: last) { secret = start + begin..<end }
            last.append(text)
            if let secret { found = (found?.lowerBound ?? secret.lowerBound)..<secret.upperBound }
            if secret == nil, !isBehindName { isBehindName = isName(text.span, names) }
            start = end + max(1, slash(bytes, end, encoding))
        }
        return found
    }

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
    private static func isPlain(_ bytes: Span<UInt8>, _ segment: Range<Int>) -> Bool {
        // In a route's pattern `*` stands for any segment.
        if segment.count == 1, bytes[segment.lowerBound] == UInt8(ascii: "*") { return true }
        if isReplacement(bytes, segment) { return true }
        var (word, digits, letters) = (0, 0, 0)
        for index in segment {
            switch bytes[index] {
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

    private static func isReplacement(_ bytes: Span<UInt8>, _ segment: Range<Int>) -> Bool {
        guard segment.count > 24, bytes[segment.lowerBound] == UInt8(ascii: "%") else { return false }
        var text: [UInt8] = []
        text.append(bytes, segment)
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
        ].map { name in Array(name.utf8).withSpan { NameScan($0).hash } })
}
