import JSON
import Platform

/// How a trust rule wants TLS to be spoken, beside its policy.
func decodeTLSSettings(_ fields: Fields) -> TLSSettings {
    var settings = TLSSettings()
    let versions = TLSSettings.versions.map { "\"\($0)\"" }.joined(separator: ", ")
    if let version = fields.string("minTLS", expected: "one of \(versions)"), let value = fields["minTLS"] {
        if TLSSettings.versions.contains(version) {
            settings.minTLS = version
        } else {
            fields.reporter.report(value.position, "\"minTLS\" is \"\(version)\"", expected: "one of \(versions)")
        }
    }
    let example = "names as `openssl ciphers -s` lists them"
    for (name, place) in fields.texts("ciphers", "an array of cipher suites", one: example) {
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            case UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
        if isName, !name.isEmpty {
            settings.ciphers.append(name)
        } else {
            fields.reporter.report(place, "\"\(name)\" is no name of a cipher suite", expected: example)
        }
    }
    settings.isStrict = fields.bool("strict") ?? false
    if let value = fields["clientCertificate"] {
        settings.clientCertificate = decodeClientCertificate(value, fields.reporter)
    }
    return settings
}

/// nil after a report.
private func decodeClientCertificate(_ value: JSONValue, _ reporter: Reporter) -> ClientCertificate? {
    let what = "{ \"certificate\": \"client.pem\", \"key\": \"client-key.pem\" } or { \"pkcs12\": \"client.p12\" }"
    guard let fields = Fields(value, "a client certificate", keys: ProfileKeys.clientCertificate, reporter) else {
        return nil
    }
    func path(_ key: String) -> String? {
        guard let text = fields.string(key, expected: "a path"), let place = fields[key]?.position else { return nil }
        return readable(text, place, reporter)
    }
    let isPEM = fields["certificate"] != nil || fields["key"] != nil
    let isArchive = fields["pkcs12"] != nil
    guard isPEM != isArchive, !isPEM || fields["certificate"] != nil && fields["key"] != nil else {
        reporter.report(
            fields.place,
            "the client certificate has \(isPEM == isArchive ? (isPEM ? "two sources" : "no source") : "only one of its two files")",
            expected: what)
        return nil
    }
    let passphrase = passphrase(fields, path)
    if isArchive { return path("pkcs12").map { ClientCertificate(source: .pkcs12($0), passphrase: passphrase) } }
    guard let certificate = path("certificate"), let key = path("key") else { return nil }
    return ClientCertificate(source: .pem(certificate: certificate, key: key), passphrase: passphrase)
}

private func passphrase(_ fields: Fields, _ path: (String) -> String?) -> ClientCertificate.Passphrase? {
    if let second = fields.member("passphraseVariable"), fields["passphraseFile"] != nil {
        fields.reporter.report(
            second.keyPosition, "\"passphraseVariable\" beside \"passphraseFile\"", expected: "one of them")
    }
    if fields["passphraseFile"] != nil { return path("passphraseFile").map { .file($0) } }
    return fields.string("passphraseVariable", expected: "the name of an environment variable").map { .variable($0) }
}
