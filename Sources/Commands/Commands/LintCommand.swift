import Bytes
import JSON
import Platform

extension Command {
    static let lint = Command(
        name: "lint",
        summary: "Check that a release of an app has nothing that only debug builds may have.",
        usage: "lint FILES… [options]",
        details: [
            "FILES: Info.plist (text or binary), network_security_config.xml, AndroidManifest.xml, .ipa, .apk, and "
                + "the folders .app and .xcarchive. Findings: "
                + LintFinding.Rule.allCases.map(\.rawValue).joined(separator: ", ") + ".",
            "Exit status: 0 nothing found; 1 something found, or a file could not be read.",
        ],
        options: [.flag("sarif", "Write SARIF 2.1.0 to standard output, for code scanning.")],
        examples: [("In CI, before an upload", "shunt lint --sarif Shop.ipa")]
    ) { arguments in
        var findings: [LintFinding] = []
        for file in arguments.operands {
            do throws(LintFailure) { findings += try Linter.findings(Path.absolute(file), shown: file) } catch {
                findings.append(LintFinding(rule: .unread, place: file, line: nil, message: error.message))
            }
        }
        if arguments.has("sarif") {
            Terminal.out { SARIFReport.write(findings, to: &$0) }
        } else {
            for finding in findings {
                let line = finding.line.map { ":\($0)" } ?? ""
                Terminal.out(
                    "\(PlainText.clean("\(finding.place)\(line): \(finding.rule.rawValue): \(finding.message)"))\n")
            }
            if findings.isEmpty { Terminal.out("Nothing found.\n") }
        }
        return findings.isEmpty ? 0 : 1
    }
}
