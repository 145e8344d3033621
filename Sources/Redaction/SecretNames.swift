import Bytes

/// Tells names whose values are secrets from all others.
///
/// Case, `_`, `-` and the like do not matter: `access_token`, `accessToken` and `Access-Token` are one name. A name in
/// brackets or behind a dot (`user[pwd]`, `user.pwd`) counts by its last part, too, and some words count at the end of
/// any name: `cardCvv`, `login_otp`, `nova-senha`.
final class SecretNames: Sendable {
    /// The place of a name: `key` and `code` are secrets in a query, but seldom in JSON.
    enum Place: UInt8, Sendable {
        case field = 1
        case parameter = 2
        case member = 4
    }

    /// Open addressing by the low bits; 0 is a free slot.
    private let table: ContiguousArray<(hash: UInt64, places: UInt8)>
    /// A bit for each hash in the table, so that most names need not be looked up.
    private let filter: SIMD8<UInt64>
    /// Names of additional rules, each with the places where it counts.
    private let patterns: [(name: NamePattern, places: UInt8)]
    private let kept: [NamePattern]
    private let hasPatterns: Bool
    /// Members by their paths, the outermost name first.
    private let paths: [[NamePattern]]
    let hasPaths: Bool

    init(_ rules: RedactionRules) {
        let places: [([String], UInt8)] = [
            (rules.names, 7), (rules.fields, 1), (rules.parameters, 2),
            (rules.members.filter { !$0.utf8.contains(UInt8(ascii: ".")) }, 4),
        ]
        patterns = places.flatMap { names, places in
            names.compactMap { name in NamePattern(name).map { (name: $0, places: places) } }
        }
        kept = rules.kept.compactMap { NamePattern($0) }
        hasPatterns = !patterns.isEmpty || !kept.isEmpty
        paths = rules.members.filter { $0.utf8.contains(UInt8(ascii: ".")) }.map { path in
            path.split(separator: ".").compactMap { NamePattern(String($0)) }
        }
        hasPaths = !paths.isEmpty
        var table = ContiguousArray<(hash: UInt64, places: UInt8)>(repeating: (0, 0), count: 1024)
        var filter = SIMD8<UInt64>()
        let lists: [([String], UInt8)] = [
            (Self.everywhere, 7), (Self.words, 7 | Self.asLastWord), (Self.fields, 1), (Self.parameters, 2),
            (Self.members, 6), (Self.doubtful, Self.isDoubtful), (Self.labels, Self.isLabel),
            (Self.values, Self.isValue), (Self.harmless, 0),
        ]
        for (names, places) in lists {
            for name in names {
                let hash = Array(name.utf8).withSpan { NameScan.hash($0) }
                var slot = Int(truncatingIfNeeded: hash) & (table.count - 1)
                while table[slot].hash != 0, table[slot].hash != hash { slot = (slot + 1) & (table.count - 1) }
                table[slot] = (hash, table[slot].places | places)
                filter[Self.word(of: hash)] |= Self.bit(of: hash)
            }
        }
        (self.table, self.filter) = (table, filter)
    }

    func contains(_ name: Span<UInt8>, in place: Place) -> Bool {
        let scan = NameScan(name)
        if scan.hash == NameScan.empty { return false }
        if hasPatterns {
            if keeps(name) { return false }
            if patterns.contains(where: { $0.places & place.rawValue != 0 && $0.name.matches(name) }) { return true }
        }
        if let places = places(of: scan.hash) {
            if places & place.rawValue != 0 { return true }
            if places == 0 { return false }
        }
        if scan.hasSecretWord || (place == .field && scan.hasSession) { return !scan.isRateLimit }
        if scan.hasSignature, place != .member { return true }
        // `X-Sentry-Auth` and the like; in JSON `requiresAuth` is none.
        if place == .field, scan.lastWord == Self.auth { return true }
        if scan.lastPart != scan.hash, let places = places(of: scan.lastPart), places & place.rawValue != 0 {
            return true
        }
        guard scan.lastWord != scan.hash else { return false }
        let wanted = place.rawValue | Self.asLastWord
        return places(of: scan.lastWord).map { $0 & wanted == wanted } ?? false
            || places(of: scan.lastWords).map { $0 & wanted == wanted } ?? false
    }

    /// Whether a parameter's value is a secret if it looks like one.
    func isDoubtful(_ name: [UInt8]) -> Bool {
        places(of: name.withSpan { NameScan.hash($0) }) == Self.isDoubtful && !name.withSpan { keeps($0) }
    }

    func contains(_ name: [UInt8], in place: Place) -> Bool { name.withSpan { contains($0, in: place) } }

    /// Whether a member holds a name or the value beside it; nil for others.
    func role(_ name: Span<UInt8>) -> NamedValue.Role? {
        guard let places = places(of: NameScan.hash(name)) else { return nil }
        return places & Self.isLabel != 0 ? .label : places & Self.isValue != 0 ? .value : nil
    }

    /// Whether several words together are a name of the lists, as in `mot de passe`.
    func contains(phrase: Span<UInt8>) -> Bool {
        places(of: NameScan.hash(phrase)).map { $0 & Place.member.rawValue != 0 } ?? false
    }

    /// Whether a path ends in this name.
    func endsPath(_ name: Span<UInt8>) -> Bool { paths.contains { $0.last?.matches(name) == true } && !keeps(name) }

    /// Whether a path ends in this name, and its outer names fit.
    func hasPath(to name: Span<UInt8>, at place: MemberTracker) -> Bool {
        paths.contains { $0.last?.matches(name) == true && place.isInside($0.dropLast()) } && !keeps(name)
    }

    /// Whether rules keep values of this name.
    func keeps(_ name: Span<UInt8>) -> Bool { kept.contains { $0.matches(name) } }

    @inline(__always)
    private func places(of hash: UInt64) -> UInt8? {
        filter[Self.word(of: hash)] & Self.bit(of: hash) == 0 ? nil : lookUp(hash)
    }

    private func lookUp(_ hash: UInt64) -> UInt8? {
        var slot = Int(truncatingIfNeeded: hash) & (table.count &- 1)
        while table[slot].hash != 0 {
            if table[slot].hash == hash { return table[slot].places }
            slot = (slot &+ 1) & (table.count &- 1)
        }
        return nil
    }

    @inline(__always)
    private static func word(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash &>> 32) & 7 }

    @inline(__always)
    private static func bit(of hash: UInt64) -> UInt64 { 1 &<< (hash &>> 48 & 63) }

    private static let everywhere = [
        "proxyauthorization", "cookie", "setcookie", "auth", "xauth", "xauthkey",
        "session", "sessionid", "sessionkey", "sid", "jsessionid", "phpsessid", "csrf", "xcsrf", "xsrf", "apikey",
        "accesskeyid", "awsaccesskeyid", "pan", "mfa", "sharedaccesskey", "sharedaccesssignature", "dbpass",
        "userpass", "smtppass", "mysqlpass", "sentrykey", "subscriptionkey", "ocpapimsubscriptionkey", "xfunctionskey",
    ]

    /// Words that are secret at the end of any name.
    private static let words =
        [
            "authorization", "pwd", "pswd", "psk", "passphrase", "seedphrase", "recoveryphrase", "mnemonic", "passcode",
            "privatekey", "accesskey", "authkey", "appkey",
            "applicationkey", "adminkey", "sharedkey", "secretkey", "signingkey", "encryptionkey",
            "masterkey", "accountkey", "connectionstring", "connstr", "jwt", "jwtassertion", "otp", "totp", "pin",
            "pincode", "cvv",
            "cvv2",
            "cvc", "cvc2", "iban", "ssn", "cardnumber", "creditcard", "ccnumber", "ccnum", "accountnumber",
            "securitycode",
            "accesscode", "webhookurl", "webhookuri", "verificationcode", "onetimecode", "otpcode", "mfacode",
            "totpcode", "smscode", "authcode", "backupcode",
            "backupcodes", "recoverycode", "recoverycodes", "xamzsignature", "xgoogsignature",
        ] + inOtherLanguages

    /// `password` elsewhere; beyond ASCII capitals are words of their own.
    private static let inOtherLanguages = [
        "contraseña", "contrasena", "contraseñas", "contrasenya", "clave", "senha", "senhas", "passwort", "passwörter",
        "kennwort", "geheimzahl", "geheimnummer", "geheimwort", "zugangscode", "sicherheitscode", "kartennummer",
        "kreditkartennummer", "motdepasse", "mdp", "parola", "wachtwoord", "lösenord", "losenord", "salasana",
        "adgangskode",
        "passord", "hasło", "haslo", "heslo", "jelszó", "jelszo", "şifre", "Şifre", "sifre", "sandi", "katasandi",
        "matkhau", "mậtkhẩu", "пароль", "Пароль", "ПАРОЛЬ", "пинкод", "Пинкод", "ПИНКОД", "ПИНкод",
        "ПинКод",
        "пинКод", "пин", "Пин", "ПИН", "кодподтверждения", "Кодподтверждения", "密码", "密碼", "口令", "パスワード", "暗証番号",
        "비밀번호",
        "암호", "كلمةالمرور", "كلمةالسر", "رمزعبور", "סיסמה", "पासवर्ड", "कूटशब्द", "পাসওয়ার্ড", "รหัสผ่าน",
    ]

    private static let fields = [
        "authentication", "xauthentication", "authenticationinfo", "proxyauthenticationinfo", "xmsclientprincipal",
        "xendpointapiuserinfo", "xapigatewayapiuserinfo", "xamznoidcdata", "dpop", "xauthorization",
        "originalauthorization", "xfirebaseappcheck", "shuntattach",
    ]

    private static let parameters = [
        "key", "code", "sig", "oauthverifier", "ticket", "samlresponse", "devicecode", "usercode",
    ]

    /// Secrets in parameters if their values look like one: random text that ties a response to its request, and the
    /// policies that signed URLs and uploads hold.
    private static let doubtful = ["state", "relaystate", "policy"]

    private static let members = [
        "pass", "bearer", "codeverifier", "assertion", "clientassertion", "authorizationcode", "devicecode",
    ]

    private static let labels = [
        "k", "id", "key", "name", "path", "field", "label", "param", "header", "variable", "property", "parameter",
        "fieldname",
    ]
    private static let values = ["v", "val", "data", "text", "value", "values", "content"]

    private static let asLastWord: UInt8 = 8
    private static let auth = Array("auth".utf8).withSpan { NameScan.hash($0) }
    private static let isDoubtful: UInt8 = 16
    private static let isLabel: UInt8 = 32
    private static let isValue: UInt8 = 64

    /// Names that hold a secret word and no secret.
    private static let harmless = [
        "tokentype", "tokentypehint", "subjecttokentype", "requestedtokentype", "issuedtokentype", "actortokentype",
        "tokenendpoint", "tokenendpointauthmethod", "tokencount", "maxtokens", "totaltokens", "prompttokens",
        "completiontokens", "inputtokens", "outputtokens", "cachedtokens", "reasoningtokens",
        "maxcompletiontokens", "signatureinput", "signaturemethod", "signatureversion", "signaturealgorithm",
        "passwordpolicy", "accesscontrolallowcredentials",
    ]
}
