import Bytes
import JSON
import Platform

/// Reads an evaluator: the policy of a trust rule, or a part of a `composite` one.
struct EvaluatorDecoding {
    let reporter: Reporter

    /// An evaluator that is written as its name alone.
    func evaluator(named value: JSONValue) -> TrustEvaluator? {
        guard let name = name(value) else { return nil }
        switch name {
        case "default": return .default(Validation())
        case "revocation": return .revocation(Validation(), RevocationSettings())
        case "disabled": return .disabled
        default:
            let key = Self.required[name] ?? "policy"
            return reporter.refuse(value, "the policy \"\(name)\" without \"\(key)\"", expected: Self.example(name))
        }
    }

    /// An evaluator with its settings.
    func evaluator(_ fields: Fields) -> TrustEvaluator? {
        guard let value = fields["policy"] else {
            return reporter.refuse(fields.place, "the trust rule has no \"policy\"", expected: TrustDecoding.policies)
        }
        guard let name = name(value) else { return nil }
        refuseOthers(fields, name)
        var parts = EvaluatorParts()
        TrustEvaluator.keys.read(fields, into: &parts)
        let validation = parts.validation
        switch name {
        case "revocation": return .revocation(validation, RevocationSettings(parts.options))
        case "pinnedCertificates":
            guard let files = certificates(fields) else { return nil }
            return .pinnedCertificates(files, acceptSelfSigned: parts.acceptsSelfSigned, validation)
        case "publicKeys": return keys(fields).map { .publicKeys($0, validation) }
        case "composite": return self.parts(fields).map { .composite($0) }
        case "disabled": return .disabled
        default: return .default(validation)
        }
    }

    /// Beside the name, the keys that an evaluator has.
    private static let keys = [
        "default": ["validateHost"], "revocation": ["options", "performDefaultValidation", "validateHost"],
        "pinnedCertificates": [
            "certificates", "acceptSelfSignedCertificates", "performDefaultValidation", "validateHost",
        ],
        "publicKeys": ["keys", "performDefaultValidation", "validateHost"], "composite": ["evaluators"], "disabled": [],
    ]
    private static let required = [
        "pinnedCertificates": "certificates", "publicKeys": "keys", "composite": "evaluators",
    ]

    private static func example(_ name: String) -> String {
        switch name {
        case "pinnedCertificates": "{ \"policy\": \"pinnedCertificates\", \"certificates\": [\"../ca/shop.pem\"] }"
        case "publicKeys": "{ \"policy\": \"publicKeys\", \"keys\": [\"sha256/…=\"] }"
        default: "{ \"policy\": \"composite\", \"evaluators\": [\"default\", { \"policy\": \"publicKeys\", … }] }"
        }
    }

    private func name(_ value: JSONValue) -> String? {
        guard let name = value.string else {
            return reporter.refuse(value, "the policy is \(value.kindName)", expected: TrustDecoding.policies)
        }
        if TrustEvaluator.names.contains(name) { return name }
        return reporter.refuse(
            value, "unknown policy \"\(name)\"", expected: TrustDecoding.policies,
            hint: didYouMean(name, among: TrustEvaluator.names))
    }

    /// Reports keys of other evaluators.
    private func refuseOthers(_ fields: Fields, _ name: String) {
        let own = Self.keys[name] ?? []
        for key in TrustEvaluator.keys.names where key != "policy" && !own.contains(key) {
            guard let member = fields.member(key) else { continue }
            let users = TrustEvaluator.names.filter { Self.keys[$0]?.contains(key) == true }
            reporter.report(
                member, "\"\(key)\" beside the policy \"\(name)\", which has no use for it",
                expected: "one of the policies \(users.joined(separator: ", "))")
        }
    }

    private func certificates(_ fields: Fields) -> [String]? {
        let texts = fields.texts("certificates", one: "a path to a PEM file")
        let files = texts.compactMap { reporter.readable($0.text, at: $0.place) }
        guard !texts.isEmpty else { return missing(fields, "certificates", "pinnedCertificates") }
        return files.count == texts.count ? files : nil
    }

    private func keys(_ fields: Fields) -> [String]? {
        let texts = fields.texts("keys", one: "a sha256/…= pin, or a path to a PEM file")
        let keys = texts.compactMap { text, place -> String? in
            guard text.hasPrefix(TrustEvaluator.pinPrefix) else { return reporter.readable(text, at: place) }
            let code = String(text.dropFirst(TrustEvaluator.pinPrefix.count))
            if let digest = Base64Decoder.bytes(code), digest.count == 32 {
                return TrustEvaluator.pinPrefix + Base64Encoder.text(digest)
            }
            return reporter.refuse(
                place, "the pin \"\(text)\" is no SHA-256 digest", expected: "sha256/ and 44 characters of Base64",
                hint: "`shunt trust explain HOST` prints the pins of a server")
        }
        guard !texts.isEmpty else { return missing(fields, "keys", "publicKeys") }
        return keys.count == texts.count ? keys : nil
    }

    /// Alamofire takes a composite of nothing for one that is met; here it is an error.
    private func parts(_ fields: Fields) -> [TrustEvaluator]? {
        let items = fields.array("evaluators")
        guard !items.isEmpty else { return missing(fields, "evaluators", "composite") }
        let parts = items.compactMap { item -> TrustEvaluator? in
            guard item.object != nil else { return evaluator(named: item) }
            return Fields(item, TrustEvaluator.keys, reporter).flatMap { evaluator($0) }
        }
        return parts.count == items.count ? parts : nil
    }

    /// Nothing to compare with would be met by nothing, or by everything.
    private func missing<Value>(_ fields: Fields, _ key: String, _ name: String) -> Value? {
        let place = fields[key]?.position ?? fields["policy"]?.position ?? fields.place
        let isEmpty = fields[key]?.array != nil
        // A value of another kind is reported already.
        if isEmpty || fields[key] == nil {
            reporter.report(
                place,
                isEmpty ? "\"\(key)\" of the policy \"\(name)\" is empty" : "the policy \"\(name)\" without \"\(key)\"",
                expected: Self.example(name))
        }
        return nil
    }
}

/// What an evaluator has beside its name, as its keys are read one by one.
struct EvaluatorParts {
    var validation = Validation()
    var acceptsSelfSigned = false
    var options: [String] = []
}

extension RevocationSettings {
    fileprivate init(_ options: [String]) {
        let set = Set(options)
        // As Apple's flags: without a method any will do.
        let isAny = set.contains("any") || set.isDisjoint(with: ["ocsp", "crl"])
        self.init(
            ocsp: isAny || set.contains("ocsp"), crl: isAny || set.contains("crl"),
            preferCRL: set.contains("preferCRL"),
            networkAccessDisabled: set.contains("networkAccessDisabled"),
            requirePositiveResponse: set.contains("requirePositiveResponse"))
    }
}
