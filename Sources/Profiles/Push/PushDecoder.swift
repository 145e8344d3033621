import Bytes
import JSON
import Platform
import Push

/// Decodes the settings of a `push`.
struct PushDecoder {
    private let value: JSONValue
    private let fields: Fields
    private var reporter: Reporter { fields.reporter }

    init?(_ value: JSONValue, _ reporter: Reporter) {
        guard let fields = Fields(value, PushSettings.keys, reporter) else { return nil }
        (self.value, self.fields) = (value, fields)
    }

    func decode() -> PushSettings? {
        guard let environment = fields["environment"]?.string.flatMap({ PushEnvironment(rawValue: $0) }) else {
            reporter.report(
                fields["environment"]?.position ?? fields.place,
                fields["environment"].map { "the environment is \(spelling($0))" } ?? "\"push\" names no environment",
                expected: PushSettings.keys.expected(of: "environment"))
            return nil
        }
        return environment == .mock ? decodeMock() : decodeGateway(environment)
    }

    private var text: String {
        var writer = JSONWriter()
        writer.value(value)
        return writer.text
    }

    /// A gateway to APNs.
    private func decodeGateway(_ environment: PushEnvironment) -> PushSettings? {
        for key in PushSettings.ofMock {
            guard let member = fields.member(key.name) else { continue }
            reporter.report(
                member.keyPosition, "\"\(key.name)\" where APNs itself responds",
                expected: "it beside \"environment\": \"mock\"")
        }
        var rules = PushRules()
        rules.topics = texts("topics", one: "the identifier of an app like \"com.example.shop\"")
        let ids = (identifier("keyID"), identifier("teamID"))
        guard let key = key(mustBeSecret: true), let keyID = ids.0, let teamID = ids.1 else { return nil }
        switch (key.value, keyID.value, teamID.value) {
        case (let key?, let keyID?, let teamID?):
            return PushSettings(
                environment: environment, rules: rules, signer: PushSigner(key: key, keyID: keyID, teamID: teamID),
                text: text)
        case (nil, nil, nil): return PushSettings(environment: environment, rules: rules, signer: nil, text: text)
        default:
            reporter.report(
                value.position, "\"push\" has some of \"key\", \"keyID\" and \"teamID\"",
                expected: "all three, with which Shunt makes provider tokens, or none, so that the client's pass")
            return nil
        }
    }

    private func decodeMock() -> PushSettings? {
        if let origin = fields.member("origin") {
            reporter.report(
                origin.keyPosition, "\"origin\" beside a stand-in for APNs",
                expected: "it beside \"environment\": \"sandbox\" or \"production\"")
        }
        var rules = PushRules()
        rules.topics = texts("topics", one: "the identifier of an app like \"com.example.shop\"")
        let ids = (identifier("keyID"), identifier("teamID"))
        guard let key = key(mustBeSecret: false), let keyID = ids.0, let teamID = ids.1,
            let unregistered = times("unregistered"), let expired = times("expired"),
            let topics = topicsOfTokens(), let throttle = throttle()
        else { return nil }
        rules.tokens = ProviderTokenRules(key: key.value, keyID: keyID.value, teamID: teamID.value)
        (rules.unregistered, rules.expired, rules.topicsOfTokens) = (unregistered, expired, topics)
        rules.badTokens = Set(texts("badTokens", one: "a device token").map { $0.lowercased() })
        if fields["channels"] != nil { rules.channels = Set(texts("channels", one: "the identifier of a channel")) }
        rules.throttle = throttle.value
        return PushSettings(environment: .mock, rules: rules, signer: nil, text: text)
    }

    /// What may be there or not, and is right.
    private struct Given<Value> { let value: Value? }

    private func texts(_ key: String, one: String) -> [String] {
        fields.texts(key, one: one).map(\.text)
    }

    private func identifier(_ name: String) -> Given<String>? {
        guard let value = fields[name] else { return Given(value: nil) }
        if let text = value.string, ProviderToken.isIdentifier(text) { return Given(value: text) }
        reporter.report(
            value.position, "\"\(name)\" is \(spelling(value))",
            expected: PushSettings.identifier)
        return nil
    }

    private func key(mustBeSecret: Bool) -> Given<ProviderKey>? {
        guard let value = fields["key"] else { return Given(value: nil) }
        guard let text = value.string, !text.isEmpty else {
            reporter.report(value.position, "\"key\" is \(spelling(value))", expected: "a file like \"AuthKey.p8\"")
            return nil
        }
        let path = reporter.absolute(text)
        var mode: mode_t = 0
        let read = try? Files.read(path, limit: 64 << 10) { status in
            mode = status.st_mode
            return nil
        }
        guard let bytes = read else {
            reporter.report(value.position, "\"\(text)\" cannot be read", expected: "a readable file at \(path)")
            return nil
        }
        guard let key = ProviderKey.read(pem: bytes) else {
            reporter.report(
                value.position, "\"\(text)\" holds no key for provider tokens",
                expected: "a key of P-256 in PEM, without a passphrase, like AuthKey_ABC123DEFG.p8")
            return nil
        }
        guard mustBeSecret else { return Given(value: key) }
        guard key.isPrivate else {
            reporter.report(
                value.position, "\"\(text)\" holds the public half of a key alone",
                expected: "the private key, AuthKey_….p8 as Apple hands it out")
            return nil
        }
        guard mode & 0o077 == 0 else {
            reporter.report(
                value.position, "\"\(text)\" can be read by others (mode 0\(String(mode & 0o777, radix: 8)))",
                expected: "a key that its owner alone can read", hint: "chmod 600 \(path)")
            return nil
        }
        return Given(value: key)
    }

    /// Device tokens with the times of their 410, in milliseconds.
    private func times(_ name: String) -> [String: Int64]? {
        guard let value = fields[name] else { return [:] }
        var found: [String: Int64] = [:]
        if value.array != nil {
            let now = wallClock() / 1000
            for token in texts(name, one: "a device token") { found[token.lowercased()] = now }
            return found
        }
        for member in fields.object(name) {
            guard let time = member.value.number?.int64 else {
                reporter.report(
                    member.value.position, "the timestamp is \(spelling(member.value))",
                    expected: "milliseconds since 1970, like 1762425600000")
                return nil
            }
            found[member.key.lowercased()] = time
        }
        return found
    }

    private func topicsOfTokens() -> [String: String]? {
        var found: [String: String] = [:]
        for member in fields.object("topicsOfTokens") {
            guard let topic = member.value.string else {
                reporter.report(
                    member.value.position, "the topic is \(spelling(member.value))",
                    expected: "a topic like \"com.example.shop\"")
                return nil
            }
            found[member.key.lowercased()] = topic
        }
        return found
    }

    private func throttle() -> Given<PushThrottle>? {
        guard let value = fields["throttle"] else { return Given(value: nil) }
        guard let fields = fields.fields("throttle", PushSettings.throttleKeys) else { return nil }
        let numbers = ["requests", "seconds"].map { fields[$0]?.number?.int64 ?? 0 }
        guard numbers.allSatisfy({ (1...1_000_000).contains($0) }) else {
            reporter.report(
                value.position, "the throttle is not complete",
                expected: "both figures from 1 on: { \"requests\": 5, \"seconds\": 60 }")
            return nil
        }
        return Given(value: PushThrottle(requests: Int(numbers[0]), seconds: numbers[1]))
    }
}
