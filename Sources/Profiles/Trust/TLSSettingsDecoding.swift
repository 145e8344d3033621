import JSON
import Platform

extension TLSSettings {
    /// Whether a text may be the name of a cipher suite.
    static func isCipher(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { $0 &- 0x41 < 26 || $0 &- 0x30 < 10 || "-_".utf8.contains($0) }
    }
}

/// What a trust rule has under `clientCertificate`; nil after a report.
func decodeClientCertificate(_ value: JSONValue, _ reporter: Reporter) -> ClientCertificate? {
    guard let fields = Fields(value, ClientCertificate.keys, reporter) else { return nil }
    func path(_ key: String) -> String? {
        guard let text = fields.string(key), let place = fields[key]?.position else { return nil }
        return reporter.readable(text, at: place)
    }
    let isPEM = fields["certificate"] != nil || fields["key"] != nil
    let isArchive = fields["pkcs12"] != nil
    guard isPEM != isArchive, !isPEM || fields["certificate"] != nil && fields["key"] != nil else {
        return reporter.refuse(
            fields.place,
            "the client certificate has \(isPEM == isArchive ? (isPEM ? "two sources" : "no source") : "only one of its two files")",
            expected: ClientCertificate.expected)
    }
    let passphrase = passphrase(fields, path)
    if isArchive { return path("pkcs12").map { ClientCertificate(source: .pkcs12($0), passphrase: passphrase) } }
    guard let certificate = path("certificate"), let key = path("key") else { return nil }
    return ClientCertificate(source: .pem(certificate: certificate, key: key), passphrase: passphrase)
}

private func passphrase(_ fields: Fields, _ path: (String) -> String?) -> ClientCertificate.Passphrase? {
    if let second = fields.member("passphraseVariable"), fields["passphraseFile"] != nil {
        fields.report(second, "\"passphraseVariable\" beside \"passphraseFile\"", expected: "one of them")
    }
    if fields["passphraseFile"] != nil { return path("passphraseFile").map { .file($0) } }
    return fields.string("passphraseVariable").map { .variable($0) }
}
