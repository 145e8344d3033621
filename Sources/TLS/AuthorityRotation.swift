import COpenSSL
import Platform

/// The change from one development CA to the next, in its folder.
///
/// The new certificate under its waiting name makes the change valid; each later step can be repeated, so that a crash
/// between them loses nothing.
public struct AuthorityRotation: Sendable {
    private let directory: String

    public init(_ directory: String) { self.directory = directory }

    private static let names = [("next-leaf-key.pem", "leaf-key.pem"), ("next-ca-key.pem", "ca-key.pem")]
    private var waiting: String { directory + "/next-ca.pem" }
    private var certificate: String { directory + "/ca.pem" }
    private var crossFile: String { directory + "/cross.pem" }

    /// Makes a new CA with new keys take the place of the one in the folder.
    ///
    /// The old key signs the new CA once and is then removed. Clients that trust the old CA accept the new one's leaves
    /// until ``forgetOld()``.
    /// - Returns: the new one, and the file with the old certificate.
    public func rotate(_ settings: AuthoritySettings) throws(TLSFailure) -> (authority: DevelopmentCA, old: String) {
        let lock = try DirectoryLock(directory)
        defer { lock.release() }
        try complete()
        guard Files.exists(certificate) else {
            throw TLSFailure(.configuration, "there is no CA in \(directory) that could be replaced")
        }
        let old = try DevelopmentCA.loadOrCreateLocked(directory, settings).authority
        let new = try DevelopmentCA.ephemeral(settings)
        // Authorities of before rotations sign leaves alone (pathLenConstraint 0).
        let cross =
            X509_get_pathlen(old.certificate) == 0
            ? nil
            : try Minting.crossSigned(
                commonName: new.commonName, key: new.key, by: Minting.Signer(certificate: old.certificate, key: old.key)
            )
        defer { X509_free(cross) }
        let oldFile = "\(directory)/old-\(old.summary.fingerprint.prefix(8)).pem"
        // An interrupted attempt may have left files; the certificate, which comes last, is not among them.
        for (name, _) in Self.names { unlink(directory + "/" + name) }
        unlink(directory + "/next-cross.pem")
        if !Files.exists(oldFile) { try SecretFile.write(old.certificatePEM, to: oldFile, mode: 0o644) }
        if let cross {
            let crossText = text { PEM_write_bio_X509($0, cross) == 1 }
            try SecretFile.write(crossText, to: directory + "/next-cross.pem", mode: 0o644)
        } else {
            // One that is there is of the CA that is replaced.
            unlink(crossFile)
        }
        try SecretFile.write(new.keyPEMs.leaf, to: directory + "/next-leaf-key.pem", mode: 0o600)
        try SecretFile.write(new.keyPEMs.authority, to: directory + "/next-ca-key.pem", mode: 0o600)
        try SecretFile.write(new.certificatePEM, to: waiting, mode: 0o644)
        try complete()
        return (try DevelopmentCA.loadOrCreateLocked(directory, settings).authority, oldFile)
    }

    /// Finishes a change that was interrupted.
    func complete() throws(TLSFailure) {
        guard Files.exists(waiting) else { return }
        for (next, name) in Self.names + [("next-cross.pem", "cross.pem"), ("next-ca.pem", "ca.pem")] {
            if Files.exists(directory + "/" + next) { try move(directory + "/" + next, directory + "/" + name) }
        }
    }

    private func move(_ old: String, _ new: String) throws(TLSFailure) {
        guard rename(old, new) == 0 else { throw .system(errno, "\(new) cannot be replaced") }
    }

    /// The present CA, signed by the one before it; nil if there was none, or it is forgotten or expired.
    func cross() throws(TLSFailure) -> OpaquePointer? {
        guard Files.exists(crossFile) else { return nil }
        let found = try PEM.certificates(in: try SecretFile.read(crossFile), from: crossFile)
        for extra in found.dropFirst() { X509_free(extra) }
        guard X509_cmp_current_time(X509_get0_notAfter(found[0])) > 0 else {
            X509_free(found[0])
            return nil
        }
        return found[0]
    }

    /// The files of the CAs that were replaced.
    public var oldFiles: [String] {
        let names = (try? Files.names(in: directory)) ?? []
        return names.filter { $0.hasPrefix("old-") && $0.hasSuffix(".pem") }.map { directory + "/" + $0 }
    }

    /// Removes what is kept of CAs that were replaced: from the next start on, clients must trust the present one.
    public func forgetOld() throws(TLSFailure) {
        let lock = try DirectoryLock(directory)
        defer { lock.release() }
        for file in oldFiles + [crossFile] where unlink(file) != 0 && errno != ENOENT {
            throw .system(errno, "\(file) cannot be removed")
        }
    }
}

extension DevelopmentCA {
    /// Without `CN=`: its whole subject is that.
    var commonName: String { String(summary.subject.dropFirst(3)) }
}
