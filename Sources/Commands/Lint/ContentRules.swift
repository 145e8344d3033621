import Bytes
import Platform

/// What must not be in any part of a release: Shunt's CA, and code that trusts it or trusts all.
struct ContentRules {
    /// What the names of Shunt's CAs begin with.
    private static let authority = Array("Shunt development CA (".utf8)
    /// The types of `shunt client-kit`.
    private static let kits = ["ShuntTrust", "ShuntSessionDelegate", "ShuntNavigationDelegate", "ShuntEnvironment"]
        .map { Array($0.utf8) }
    private static let disabled = Array("DisabledTrustEvaluator".utf8)

    /// The name as Base64 has it, at each of the three places within a group.
    private static let encoded: [[UInt8]] = (0..<3).map { shift in
        let text = Array(Base64Encoder.text([UInt8](repeating: 0, count: shift) + authority).utf8)
        // The groups at either end depend on what is beside the name.
        return Array(text.dropFirst(shift == 0 ? 0 : 4).prefix(24))
    }

    static func findings(_ content: [UInt8], _ place: String) -> [LintFinding] {
        func finding(_ rule: LintFinding.Rule, _ message: String) -> LintFinding {
            LintFinding(rule: rule, place: place, line: nil, message: message)
        }
        var findings: [LintFinding] = []
        if has(content, [authority]) || has(content.filter { $0 != 0x0A && $0 != 0x0D && $0 != 0x20 }, encoded) {
            findings.append(finding(.shuntAuthority, "Shunt's development CA is in it"))
        } else if has(content, kits) {
            findings.append(finding(.shuntAuthority, "code of `shunt client-kit` is in it"))
        }
        // Alamofire itself has the type, and nothing else needs its name.
        if !place.contains("Alamofire"), has(content, [disabled]) {
            findings.append(finding(.disabledEvaluator, "DisabledTrustEvaluator is in it"))
        }
        return findings
    }

    static func has(_ content: [UInt8], _ wanted: [[UInt8]]) -> Bool {
        let bytes = content.span
        return wanted.contains { word in
            guard let first = word.first else { return false }
            return word.withUnsafeBytes { word in
                var at = 0
                while true {
                    at = ByteSearch.byte(first, in: bytes, from: at, to: bytes.count)
                    guard at + word.count <= bytes.count else { return false }
                    if bytes.equals(at..<at + word.count, word) { return true }
                    at += 1
                }
            }
        }
    }
}
