import COpenSSL
import Platform

/// The roots that programs trust together with an authority of ours, for programs that read one file alone.
public struct TrustBundle: Sendable {
    /// PEM text.
    public let pem: [UInt8]
    /// DER of each certificate, in the order of the text.
    private let certificates: [[UInt8]]

    /// The file that OpenSSL reads the system's roots from, if it is there.
    public static var systemFile: String? {
        let named = getenv(X509_get_default_cert_file_env()) ?? UnsafeMutablePointer(mutating: systemDefault)
        // Debian's OpenSSL names a file that its packages do not write, beside the folder of this one.
        return ([named.map { String(cString: $0) }] + usual).compactMap { $0 }.first { Files.isReadableFile($0) }
    }

    private static var systemDefault: UnsafePointer<CChar>? { X509_get_default_cert_file() }
    private static let usual = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
    ]

    /// Joins the certificates of files, each once, with those of `authority` in front; a file that is missing or has no
    /// certificate is passed over.
    ///
    /// - Parameter authority: PEM text.
    public init(authority: String, files: [String]) {
        var text = Array(authority.utf8)
        var seen: Set<[UInt8]> = []
        var certificates: [[UInt8]] = []
        for certificate in Self.blocks(text) where seen.insert(certificate).inserted {
            certificates.append(certificate)
        }
        for file in files {
            guard let bytes = try? SecretFile.read(file) else { continue }
            let own = Self.blocks(bytes)
            let isNew = own.contains { !seen.contains($0) }
            guard isNew else { continue }
            for certificate in own where seen.insert(certificate).inserted { certificates.append(certificate) }
            text.append(contentsOf: bytes)
            if text.last != 0x0A { text.append(0x0A) }
        }
        (pem, self.certificates) = (text, certificates)
    }

    /// Whether a certificate, as DER, is among them.
    public func contains(_ certificate: [UInt8]) -> Bool { certificates.contains(certificate) }

    /// The DER of each certificate in a PEM text.
    private static func blocks(_ pem: [UInt8]) -> [[UInt8]] {
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let bio = BIO_new_mem_buf(pem, CInt(clamping: pem.count)) else { return [] }
        defer { BIO_free(bio) }
        var found: [[UInt8]] = []
        var (name, header): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?)
        var (bytes, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        while PEM_read_bio(bio, &name, &header, &bytes, &count) == 1 {
            if let name, String(cString: name).hasSuffix("CERTIFICATE"), let bytes {
                found.append(Array(UnsafeBufferPointer(start: bytes, count: count)))
            }
            for pointer in [
                UnsafeMutableRawPointer(name), UnsafeMutableRawPointer(header), UnsafeMutableRawPointer(bytes),
            ] {
                CRYPTO_free(pointer, nil, 0)
            }
        }
        return found
    }

    /// The same for Java: a key store of type JKS, with the password `changeit`; nil when OpenSSL is out of memory.
    ///
    /// Java takes certificates of PKCS #12 for trusted only with an attribute of its own, and every Java reads JKS.
    public func javaKeyStore(at seconds: Int64) -> [UInt8]? {
        var store = JavaKeyStore()
        for (number, certificate) in certificates.enumerated() {
            store.append(certificate, alias: number == 0 ? "shunt" : "root-\(number)", at: seconds)
        }
        return store.finish(password: Self.javaPassword)
    }

    public static let javaPassword = "changeit"
}

/// Sun's format of trusted certificates, version 2: big-endian, with a digest at its end.
private struct JavaKeyStore {
    private var entries: [UInt8] = []
    private var count: UInt32 = 0

    mutating func append(_ certificate: [UInt8], alias: String, at seconds: Int64) {
        count += 1
        // A trusted certificate.
        append(UInt32(2))
        append(text: alias)
        append(UInt64(bitPattern: seconds * 1000))
        append(text: "X.509")
        append(UInt32(certificate.count))
        entries += certificate
    }

    func finish(password: String) -> [UInt8]? {
        var store = JavaKeyStore()
        store.append(0xFEED_FEED as UInt32)
        store.append(2 as UInt32)
        store.append(count)
        let bytes = store.entries + entries
        var digested: [UInt8] = []
        for unit in password.utf16 { digested += [UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit)] }
        digested += Array("Mighty Aphrodite".utf8) + bytes
        var digest = [UInt8](repeating: 0, count: 20)
        guard EVP_Digest(digested, digested.count, &digest, nil, EVP_sha1(), nil) == 1 else { return nil }
        return bytes + digest
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { entries.append(contentsOf: $0) }
    }

    private mutating func append(text: String) {
        append(UInt16(clamping: text.utf8.count))
        entries += Array(text.utf8)
    }
}
