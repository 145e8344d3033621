import Admin
import Bytes
import Engine
import JSON
import Platform
import Profiles
import TLS

extension TrustCommand {
    static func explain(_ arguments: Arguments) async throws -> CInt {
        let look = try await TrustLook(arguments)
        let fixes = look.fixes
        if arguments.has("json") {
            Terminal.out { TrustText(look, fixes).write(to: &$0) }
        } else {
            Terminal.out(TrustText(look, fixes).text)
        }
        guard arguments.has("write"), !look.isAccepted else { return look.isAccepted ? 0 : 1 }
        let names = fixes.compactMap(\.name)
        let wanted = arguments.text("fix") ?? names.first { $0 != "disabled" }
        guard let wanted, let fix = fixes.first(where: { $0.name == wanted }), let rule = fix.rule else {
            if let wanted {
                throw CommandFailure(
                    "there is no fix by the name of “\(wanted)”",
                    advice: names.isEmpty ? nil : "There are: \(names.joined(separator: ", ")), by --fix NAME.")
            }
            guard look.sight != nil else {
                throw CommandFailure("there is nothing to write: \(look.url) showed no certificate")
            }
            let others = fixes.filter { $0.name == nil }.map { "\($0.text)." }
            throw CommandFailure(
                "no rule that checks anything lets the certificate pass",
                advice: (others + (names.isEmpty ? [] : ["Or check nothing: --fix disabled."])).joined(separator: " "))
        }
        for path in try look.write(rule, certificate: fix.certificate, replaces: true) {
            Terminal.error("wrote  \(Path.short(path))\n")
        }
        let after = try await TrustLook(arguments)
        guard let failure = after.verdict.failure else {
            Terminal.error("passes \(look.url)\n")
            return 0
        }
        throw CommandFailure("the rule was written, and it does not help: \(failure.message)", advice: failure.advice)
    }
}

/// What a look at a certificate says, for people and as JSON.
struct TrustText {
    private let look: TrustLook
    private let fixes: [TrustFix]

    init(_ look: TrustLook, _ fixes: [TrustFix]) { (self.look, self.fixes) = (look, fixes) }

    var text: String {
        guard let sight = look.sight else {
            let failure = look.seen.failure
            return "\(failure?.message ?? "\(look.url) showed no certificate")\n"
                + (failure?.advice.map { "\($0)\n" } ?? "") + fixText
        }
        var text =
            "\(look.url) at \(look.seen.address ?? "?"), \(sight.version) \(sight.cipher)\n\nCHAIN, as the server sent it\n"
        for (number, certificate) in sight.chain.enumerated() { text += Self.text(certificate, number + 1) }
        text += "\nRULE\n  \(ruleText)\n\nCHECKS\n"
        text += TextTable(look.checks.map { ["  " + $0.name, $0.reason ?? "passed"] }).text
        if sight.lacksClientCertificate {
            text +=
                "\nCLIENT CERTIFICATE\n  The server asks for one. \(look.address.clientCertificateAdvice)\n"
        }
        return text + fixText
    }

    private var fixText: String {
        guard !fixes.isEmpty else { return "" }
        var text = "\nFIXES, the least permissive first\n"
        for fix in fixes {
            text += "  \(fix.name.map { "--fix \($0)" } ?? "-")  \(PlainText.clean(fix.text))\n"
            if let rule = fix.rule { text += "      \"\(look.address.authority)\": \(rule)\n" }
        }
        return text
    }

    private var ruleText: String {
        let source = look.rule.map { "\($0.pattern), \($0.placeText)" } ?? "no rule names the host"
        return "\(look.policy.name) (\(source)) in profile \(look.profile.name)"
    }

    static func text(_ certificate: SeenCertificate, _ number: Int) -> String {
        func line(_ name: String, _ value: String) -> String {
            "     \(name)\(String(repeating: " ", count: 9 - name.count))\(PlainText.clean(value))\n"
        }
        return "  \(number)  \(PlainText.clean(certificate.subject.isEmpty ? "(no subject)" : certificate.subject))\n"
            + line("issuer", certificate.issuer)
            + (certificate.names.isEmpty ? "" : line("names", certificate.names.joined(separator: ", ")))
            + line("valid", "\(certificate.notBefore) to \(certificate.notAfter)") + line("pin", certificate.pin)
            + line("SHA-256", certificate.fingerprint)
    }

    func write(to writer: inout JSONWriter) {
        writer.object { object in
            object.members([
                "origin": look.url, "address": look.seen.address, "profile": look.profile.name,
                "accepted": look.isAccepted, "failure": look.seen.failure?.message, "tls": look.sight?.version,
                "cipher": look.sight?.cipher,
            ])
            object.objects("chain", look.sight?.chain ?? []) { one, certificate in
                one.members([
                    "subject": certificate.subject, "issuer": certificate.issuer, "names": certificate.names,
                    "notBefore": certificate.notBefore, "notAfter": certificate.notAfter, "pin": certificate.pin,
                    "sha256": certificate.fingerprint,
                ])
            }
            object.member("policy", look.policy.name)
            object.key("rule")
            if let rule = look.rule { rule.write(to: &object) } else { object.null() }
            object.objects("checks", look.checks) { one, check in
                one.members(["name": check.name, "reason": check.reason])
            }
            object.objects("fixes", fixes) { one, fix in
                one.members(["name": fix.name, "text": fix.text, "rule": fix.rule])
            }
        }
    }
}
