import Bytes

/// Code, written by hand, that accepts every certificate.
enum AcceptingCodeRules {
    static func findings(_ content: [UInt8], _ place: String) throws(LintFailure) -> [LintFinding] {
        let messages = DexFile.isOne(content) ? try android(content) : isMachO(content) ? apple(content) : []
        return messages.map { LintFinding(rule: .acceptsEverything, place: place, line: nil, message: $0) }
    }

    // MARK: Apple

    private static func isMachO(_ content: [UInt8]) -> Bool {
        [[0xCF, 0xFA, 0xED, 0xFE], [0xCE, 0xFA, 0xED, 0xFE], [0xCA, 0xFE, 0xBA, 0xBE], [0xCA, 0xFE, 0xBA, 0xBF]]
            .contains { content.starts(with: $0 as [UInt8]) }
    }

    private static let challenges = [
        "didReceiveChallenge:completionHandler:", "didReceiveAuthenticationChallenge:completionHandler:",
        "willSendRequestForAuthenticationChallenge:",
    ]
    private static let credentials = ["credentialForTrust:", "initWithTrust:"]

    /// What judges the trust of a challenge is a function of the system, whose name is in the program that calls it.
    private static func apple(_ content: [UInt8]) -> [String] {
        func has(_ words: [String]) -> Bool { ContentRules.has(content, words.map { Array($0.utf8) }) }
        guard has(challenges), has(credentials), !has(["SecTrustEvaluate"]) else { return [] }
        return [
            "a delegate makes a credential of the server's trust, and nothing evaluates it (SecTrustEvaluateWithError)"
        ]
    }

    // MARK: Android

    private enum Instruction {
        static let returnVoid: UInt16 = 0x0E
        static let returnValue: UInt16 = 0x0F
        static let constant: UInt16 = 0x12
        static let invoke: ClosedRange<UInt16> = 0x6E...0x72
    }

    /// Longer code than this may decide something.
    private static let maxPlain = 8

    private static func android(_ content: [UInt8]) throws(LintFailure) -> [String] {
        let file = DexFile(content)
        var messages: [String] = []
        for method in try file.methods(named: ["checkServerTrusted", "verify", "onReceivedSslError"]) {
            let code = method.code
            switch (method.name, method.parameters) {
            case ("checkServerTrusted", let types) where types.hasPrefix("[Ljava/security/cert/X509Certificate;"):
                if Array(code) == [Instruction.returnVoid] {
                    messages.append("\(method.type) has an empty checkServerTrusted")
                }
            case ("verify", "Ljava/lang/String;Ljavax/net/ssl/SSLSession;"):
                // const/4 vN, 1 and return vN.
                if code.count == 2, code[0] & 0xFF == Instruction.constant, code[0] >> 12 == 1,
                    code[1] & 0xFF == Instruction.returnValue
                {
                    messages.append("\(method.type) is a HostnameVerifier that accepts every name")
                }
            case ("onReceivedSslError", _) where code.count <= maxPlain:
                for at in code.indices.dropLast() where Instruction.invoke.contains(code[at] & 0xFF) {
                    guard (try? file.name(Int(code[at + 1]))) == "proceed" else { continue }
                    messages.append("\(method.type) proceeds at every error of a certificate (onReceivedSslError)")
                    break
                }
            default: break
            }
        }
        return messages
    }
}
