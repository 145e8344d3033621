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
            "session", "sessions", "sid", "jwt", "apikeys", "webhook", "webhooks", "emailverification", "validateemail",
        ].map { name in Array(name.utf8).withSpan { NameScan($0).hash } })
}
