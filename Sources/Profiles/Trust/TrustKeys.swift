// Each key is one line, whose last text editors show as its description.
// swift-format-ignore-file

import JSON

extension TrustEvaluator {
    static let keys = Keys<EvaluatorParts>("evaluator", "an evaluator", required: ["policy"], own)

    /// A policy that is its name alone.
    static let nameSchema = Schema.one(of: ["default", "revocation", "disabled"])

    fileprivate static let own: [Key<EvaluatorParts>] = [
        .own("policy", TrustDecoding.policies, Schema.one(of: names), "default checks chain and name, the others also what their name says; composite has parts that must all pass; disabled checks nothing, and is refused for production's origins.", see: "trust.md"),
        .one("validateHost", \.validation.validateHost, .flag, "false accepts a certificate for another host; the origin is then unverified.", default: true),
        .one("performDefaultValidation", \.validation.performDefaultValidation, .flag, "false does not check the chain to an authority, unless validateHost requires it.", default: true),
        .list("options", \.options, .one(of: RevocationSettings.options), "an array of " + RevocationSettings.options.map { "\"\($0)\"" }.joined(separator: ", "), "For revocation: any, or ocsp or crl; preferCRL; networkAccessDisabled; requirePositiveResponse refuses certificates whose status is unknown.", usual: "any", see: "trust.md#revocation"),
        .own("certificates", "an array of paths to PEM files", Schema.names, "For pinnedCertificates: PEM files, relative to this profile. One of these certificates must be in the chain."),
        .one("acceptSelfSignedCertificates", \.acceptsSelfSigned, .flag, "For pinnedCertificates: true makes them the only anchors, so that a self-signed one passes.", default: false),
        .own("keys", "an array of sha256/…= pins and paths to PEM files", Schema.names, "For publicKeys: sha256/…= pins, or PEM files with certificates that have the keys. One of these keys must be in the chain."),
        .own("evaluators", "an array of policies", Schema.list(Schema.any(nameSchema, Schema.object("evaluator")), min: 1), "For composite: the policies that must all pass, in this order."),
    ]
}

extension TrustSource.Policy {
    static let keys = Keys<TrustSource.Policy>(
        "trustRule", "a trust rule", required: ["policy"],
        TrustEvaluator.own.map { $0.declared() } + [
        .own("certificateAuthorities", "an array of paths to PEM files", Schema.names, "PEM files, relative to this profile, that are trusted for these hosts beside the system's.") { $2.authorities = decodeAuthorities($1) },
        .own("clientCertificate", ClientCertificate.expected, Schema.object("clientCertificate"), "The certificate that Shunt shows to these hosts if they request one.", usual: "none", see: "trust.md#client-certificates") { $2.connection.clientCertificate = decodeClientCertificate($0.value, $1.reporter) },
            .optional("minTLS", \.connection.minTLS, .one(of: TLSSettings.versions), "The oldest version of TLS for these hosts.", usual: "\"1.2\"", see: "trust.md#versions-and-cipher-suites"),
            .list("ciphers", \.connection.ciphers, .text("names as `openssl ciphers -s` lists them", schema: Schema.pattern("^[A-Z0-9_-]+$"), TLSSettings.isCipher), "an array of cipher suites", "The only cipher suites that are offered, by the names of `openssl ciphers -s`.", usual: "the usual ones", see: "trust.md#versions-and-cipher-suites"),
            .one("strict", \.connection.isStrict, .flag, "true refuses chains with faults of form that browsers forgive, such as an authority without keyUsage.", default: false, see: "trust.md#faults-of-form"),
        .own("until", "a day like \"2026-12-31\" (UTC)", Schema.pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}$"), "The last day, in UTC, on which an exception such as \"disabled\" applies; required for public hosts.", see: "profiles.md#trust-an-origins-certificate"),
            .optional("reason", \.reason, .text("a few words in one line", schema: Schema.fullText) { isFieldValue($0) && !$0.isEmpty }, "Why nothing is checked; required for public hosts."),
        ])
}

extension ClientCertificate {
    static let keys = Keys<Void>(
        "clientCertificate", "a client certificate",
        [
        .own("certificate", "a path", Schema.fullText, "A PEM file: the certificate, then its intermediates."),
        .own("key", "a path", Schema.fullText, "A PEM file with the private key."),
        .own("pkcs12", "a path", Schema.fullText, "Instead of both: a PKCS #12 file (.p12, .pfx)."),
        .own("passphraseFile", "a path", Schema.fullText, "A file whose first line is the pass phrase."),
        .own("passphraseVariable", "the name of an environment variable", Schema.fullText, "The environment variable with the pass phrase."),
        ])
    static let expected =
        "{ \"certificate\": \"client.pem\", \"key\": \"client-key.pem\" } or { \"pkcs12\": \"client.p12\" }"
}
