import Engine
import JSON
import Platform
import Profiles
import TLS

extension TrustLook {
    /// What helps; empty where nothing is wrong.
    var fixes: [TrustFix] {
        guard let failure = verdict.failure, let sight else { return [] }
        func reason(_ check: String) -> String? { checks.first { $0.name == check }?.reason }
        return TrustFix.list(
            TrustRejection(
                origin: address, chain: sight.chain, reason: reason(policy.evaluator.name) ?? failure.message,
                chainReason: reason("chain") ?? reason("default"), isNamed: reason("host") == nil,
                mayBeDisabled: profile.kind != .production))
    }

    /// Puts a rule into the profile, and a certificate that it names beside it; returns the paths.
    func write(_ rule: String, certificate: Int?) throws(CommandFailure) -> [String] {
        let file = profile.file
        let bytes: [UInt8]
        do throws(FileFailure) { bytes = try Files.read(file) } catch { throw .failed("\(error)") }
        let changed: [UInt8]
        do throws(JSONFailure) {
            changed = try TrustInsertion.inserting(rule, for: address.authority, into: bytes)
        } catch {
            throw .failed(
                "\(Path.short(file)):\(error.position.line): \(error.message)",
                advice: error.expected.map { "Write \($0)" })
        }
        var written: [String] = []
        if let certificate, let sight, sight.pem.indices.contains(certificate) {
            let folder = project.root + "/ca"
            let path = folder + "/" + TrustFix.fileName(address)
            do throws(FileFailure) {
                if !Files.isDirectory(folder) { try Files.makeDirectory(folder) }
                try Files.write(Array(sight.pem[certificate].utf8), to: path, mode: 0o644)
            } catch {
                throw .failed("\(error)")
            }
            written.append(path)
        }
        do throws(FormatProblem) { try FormattedFile(file).replace(changed) } catch { throw .failed("\(error)") }
        return written + [file]
    }
}
