import Engine
import JSON
import Platform
import Profiles
import TLS

extension TrustLook {
    /// What helps; empty where nothing is wrong.
    var fixes: [TrustFix] {
        guard let failure = verdict.failure else { return [] }
        guard let sight else { return passesWithOldTLS ? [.oldTLS(address, policy.withOldTLS)] : [] }
        return TrustFix.list(
            TrustRejection(
                origin: address, chain: sight.chain, kind: failure.rejection ?? .chain,
                reason: Self.reason(failure.message),
                mayBeUnverified: profile.kind != .production))
    }

    /// Puts a rule into the profile, and a certificate that it names beside it; returns the paths.
    ///
    /// - Parameter replaces: it takes the place of a rule for the same host.
    func write(_ rule: String, certificate: Int?, replaces: Bool = false) throws -> [String] {
        let file = profile.file
        let bytes = try Files.read(file)
        let changed: [UInt8]
        do throws(JSONFailure) {
            changed = try TrustInsertion.inserting(
                // Paths of the rule that applied so far are absolute.
                rule.replacing("\"\(project.root)/", with: "\"../"), for: address.authority, into: bytes,
                replaces: replaces)
        } catch {
            throw CommandFailure(
                "\(Path.short(file)):\(error.position.line): \(error.message)",
                advice: error.expected.map { "Write \($0)" })
        }
        var written: [String] = []
        if let certificate, let sight, sight.pem.indices.contains(certificate) {
            let folder = project.root + "/ca"
            let path = folder + "/" + TrustFix.fileName(address)
            if !Files.isDirectory(folder) { try Files.makeDirectory(folder) }
            try Files.write(Array(sight.pem[certificate].utf8), to: path, mode: 0o644)
            written.append(path)
        }
        do throws(ProfileProblems) {
            _ = try ProfileLibrary.load(
                directory: project.profilesDirectory, replacing: (name: Path.name(of: file), bytes: changed))
        } catch {
            for path in written { unlink(path) }
            throw CommandFailure(
                "the rule is refused in \(Path.short(file)): \(error.all.first?.message ?? "")",
                advice: "Nothing was changed.")
        }
        try FormattedFile(file).replace(changed)
        return written + [file]
    }
}
