import Bytes
import JSON
import Platform
import Push

/// What a route has under `push`, as its keys are read one by one.
struct PushParts {
    var environment: PushEnvironment?
    var rules = PushRules()
    var key: ProviderKey?
    var keyID: String?
    var teamID: String?
}

/// Decodes the settings of a `push`; nil after a report.
func decodePush(_ route: Fields) -> PushSettings? {
    var parts = PushParts()
    guard let fields = PushSettings.keys.read("push", of: route, into: &parts) else { return nil }
    if fields["environment"] == nil {
        fields.report(fields.place, "\"push\" names no environment", expected: fields.expected(of: "environment"))
    }
    guard let environment = parts.environment else { return nil }
    let isMock = environment == .mock
    for key in isMock ? PushSettings.ofGateway : PushSettings.ofMock {
        guard let member = fields.member(key.name) else { continue }
        fields.report(
            member, "\"\(key.name)\" " + (isMock ? "beside a stand-in for APNs" : "where APNs itself responds"),
            expected: "it beside \"environment\": " + (isMock ? "\"sandbox\" or \"production\"" : "\"mock\""))
    }
    var signer: PushSigner?
    if isMock {
        parts.rules.tokens = ProviderTokenRules(key: parts.key, keyID: parts.keyID, teamID: parts.teamID)
    } else if let key = parts.key, let keyID = parts.keyID, let teamID = parts.teamID {
        signer = PushSigner(key: key, keyID: keyID, teamID: teamID)
    } else if (1...2).contains(["key", "keyID", "teamID"].count { fields[$0] != nil }) {
        fields.report(
            fields.place, "\"push\" has some of \"key\", \"keyID\" and \"teamID\"",
            expected: "all three, with which Shunt makes provider tokens, or none, so that the client's pass")
    }
    return PushSettings(environment: environment, rules: parts.rules, signer: signer)
}

extension PushParts {
    /// The file with the key of provider tokens, which is secret unless signatures are only checked.
    static func key(_ member: JSONMember, _ push: Fields) -> ProviderKey? {
        guard let text = ValueKind<String>.text("a file like \"AuthKey.p8\"", { !$0.isEmpty }).read(member, push) else {
            return nil
        }
        func refused(_ message: String, expected: String, hint: String? = nil) -> ProviderKey? {
            return push.reporter.refuse(member.value, "\"\(text)\" \(message)", expected: expected, hint: hint)
        }
        let path = push.reporter.absolute(text)
        var mode: mode_t = 0
        let read = try? Files.read(path, limit: 64 << 10) { status in
            mode = status.st_mode
            return nil
        }
        guard let bytes = read else { return refused("cannot be read", expected: "a readable file at \(path)") }
        guard let key = ProviderKey.read(pem: bytes) else {
            return refused(
                "holds no key for provider tokens",
                expected: "a key of P-256 in PEM, without a passphrase, like AuthKey_ABC123DEFG.p8")
        }
        if push["environment"]?.string == PushEnvironment.mock.rawValue { return key }
        guard key.isPrivate else {
            return refused(
                "holds the public half of a key alone", expected: "the private key, AuthKey_….p8 as Apple hands it out")
        }
        guard mode & 0o077 == 0 else {
            return refused(
                "can be read by others (mode 0\(String(mode & 0o777, radix: 8)))",
                expected: "a key that its owner alone can read", hint: "chmod 600 \(path)")
        }
        return key
    }

    /// Device tokens with the times of their 410, in milliseconds.
    static func times(_ member: JSONMember, _ push: Fields) -> [String: Int64] {
        guard member.value.array == nil else {
            let now = wallClock() / 1000
            return Dictionary(tokens(member.key, push).map { ($0, now) }, uniquingKeysWith: { first, _ in first })
        }
        return values(member.key, push, "the timestamp", "milliseconds since 1970, like 1762425600000") {
            $0.number?.int64
        }
    }

    static func tokens(_ key: String, _ push: Fields) -> [String] {
        push.texts(key, one: "a device token").map { $0.text.lowercased() }
    }

    /// Values by device token.
    static func values<Value>(
        _ key: String, _ push: Fields, _ what: String, _ expected: String, _ parse: (JSONValue) -> Value?
    ) -> [String: Value] {
        var found: [String: Value] = [:]
        for member in push.object(key) {
            found[member.key.lowercased()] = parse(member.value)
            guard found[member.key.lowercased()] == nil else { continue }
            push.reporter.report(member.value, "\(what) is \(spelling(member.value))", expected: expected)
        }
        return found
    }

    static func throttle(_ member: JSONMember, _ push: Fields) -> PushThrottle? {
        guard let fields = push.fields(member.key, PushSettings.throttleKeys) else { return nil }
        let numbers = ["requests", "seconds"].map { fields[$0]?.number?.int64 ?? 0 }
        if numbers.allSatisfy({ (1...1_000_000).contains($0) }) {
            return PushThrottle(requests: Int(numbers[0]), seconds: numbers[1])
        }
        return push.reporter.refuse(
            member.value, "the throttle is not complete",
            expected: "both figures from 1 on: { \"requests\": 5, \"seconds\": 60 }")
    }
}
