import Engine
import JSON
import Platform
import Profiles
import TLS

/// Something that makes an origin's certificate pass.
struct TrustFix {
    /// As `--fix` names it; nil for what cannot be written into a profile.
    let name: String?
    let text: String
    /// The text of a trust rule.
    var rule: String?
    /// A certificate that the rule needs, as PEM text.
    var certificate: String?

    /// What helps, the least permissive first; empty where nothing is wrong.
    static func list(_ look: TrustLook) -> [TrustFix] {
        guard !look.isAccepted, let sight = look.sight, let leaf = sight.chain.first else { return [] }
        let failed = Set(look.checks.filter { $0.reason != nil }.map(\.name))
        var fixes: [TrustFix] = []
        if !failed.contains("chain"), !failed.contains("host"), failed.contains("publicKeys") {
            fixes.append(pin(look, leaf))
        }
        if failed.contains("host"), !leaf.names.isEmpty {
            fixes.append(
                TrustFix(
                    name: nil,
                    text: "Put a name that it is for into the route's origin: \(leaf.names.joined(separator: ", "))"))
        }
        if failed.contains("chain") { fixes += chainFixes(look, sight, leaf) }
        if fixes.isEmpty, let advice = look.verdict.failure?.advice { fixes.append(TrustFix(name: nil, text: advice)) }
        if look.profile.kind != .production {
            fixes.append(
                TrustFix(
                    name: "disabled",
                    text: "As the last resort, and for a server of your own alone: let any certificate pass",
                    rule: "\"disabled\""))
        }
        return fixes
    }

    private static func chainFixes(_ look: TrustLook, _ sight: CertificateSight, _ leaf: SeenCertificate) -> [TrustFix]
    {
        let reason = look.checks.first?.reason ?? ""
        if reason.contains("expired") || reason.contains("not yet valid") {
            return [
                TrustFix(
                    name: nil,
                    text:
                        "Renew it, or set this machine's clock: it is valid from \(leaf.notBefore) to \(leaf.notAfter)")
            ]
        }
        let rule = "{ \"policy\": \"default\", \"certificateAuthorities\": [\(quoted("../ca/" + fileName(look)))] }"
        if let last = sight.chain.last, sight.chain.count > 1, last.isSelfIssued {
            return [
                TrustFix(
                    name: "authority", text: "Trust the CA that it sends for this host: \(last.subject)", rule: rule,
                    certificate: sight.pem.last)
            ]
        }
        guard reason.contains("self-signed") || reason.contains("issuer") else {
            return [TrustFix(name: nil, text: look.verdict.failure?.advice ?? reason)]
        }
        let own = TrustFix(
            name: "certificate", text: "Trust this very certificate, for the names that it has", rule: rule,
            certificate: sight.pem.first)
        guard !leaf.isSelfIssued, let last = sight.chain.last else { return [own] }
        return [
            TrustFix(
                name: nil,
                text: "Name the CA “\(last.issuer)” under \"certificateAuthorities\"; the server does not send it")
        ] + [own]
    }

    /// The keys that the rule has, and the one that was seen.
    private static func pin(_ look: TrustLook, _ leaf: SeenCertificate) -> TrustFix {
        var keys: [String] = []
        if case .publicKeys(let known, _) = look.policy.evaluator { keys = known }
        let list = (keys + [leaf.pin]).map(quoted).joined(separator: ", ")
        return TrustFix(
            name: "pin", text: "If its key was changed on purpose, pin the new one: \(leaf.pin)",
            rule: "{ \"policy\": \"publicKeys\", \"keys\": [\(list)] }")
    }

    private static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.value(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The certificate's file in `ca`.
    static func fileName(_ look: TrustLook) -> String {
        String(look.host.authority.map { $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" ? $0 : "_" }) + ".pem"
    }

    /// Puts the rule into the profile, and its certificate beside it; returns the paths.
    func write(_ look: TrustLook) throws(CommandFailure) -> [String] {
        guard let rule else { throw .failed("this fix is not a rule: \(text)") }
        let file = look.profile.file
        let bytes: [UInt8]
        do throws(FileFailure) { bytes = try Files.read(file) } catch { throw .failed("\(error)") }
        let changed: [UInt8]
        do throws(JSONFailure) {
            changed = try TrustInsertion.inserting(rule, for: look.host.authority, into: bytes)
        } catch {
            throw .failed(
                "\(Path.short(file)):\(error.position.line): \(error.message)",
                advice: error.expected.map { "Write \($0)" })
        }
        var written: [String] = []
        if let certificate {
            let folder = look.project.root + "/ca"
            let path = folder + "/" + Self.fileName(look)
            do throws(FileFailure) {
                if !Files.isDirectory(folder) { try Files.makeDirectory(folder) }
                try Files.write(Array(certificate.utf8), to: path, mode: 0o644)
            } catch {
                throw .failed("\(error)")
            }
            written.append(path)
        }
        do throws(FormatProblem) { try FormattedFile(file).replace(changed) } catch { throw .failed("\(error)") }
        return written + [file]
    }
}
