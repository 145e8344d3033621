extension ClientKit {
    static let urlsession = ClientKit(name: "urlsession", summary: "URLSession") { facts in
        [
            .swiftTrust(facts),
            ClientFile(
                path: "ShuntTrust+URLSession.swift",
                text: """
                    #if DEBUG
                    import Foundation
                    import Security

                    /// URLSession(configuration: .default, delegate: ShuntSessionDelegate(), delegateQueue: nil)
                    final class ShuntSessionDelegate: NSObject, URLSessionDelegate {
                        func urlSession(
                            _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
                            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
                        ) {
                            let (disposition, credential) = ShuntTrust.answer(challenge)
                            completionHandler(disposition, credential)
                        }
                    }
                    #endif

                    """),
        ]
    }
}

extension ClientFile {
    /// What all Swift kits share: the CA, and the judgement of a server's certificate.
    static func swiftTrust(_ facts: ClientFacts) -> ClientFile {
        let hosts = facts.hosts.map { ClientFacts.quoted($0) }.joined(separator: ", ")
        return ClientFile(
            path: "ShuntTrust.swift",
            text: """
                // Made by `shunt client-kit`; made anew when the development CA changes. Nothing of it is in a release.
                #if DEBUG
                import Foundation
                import Security

                /// Trusts Shunt's development CA for the hosts below, by name and chain; all other hosts are judged as usual.
                enum ShuntTrust {
                    static let hosts: [String] = [\(hosts)]

                    // Made once and never changed.
                    nonisolated(unsafe) static let certificate: SecCertificate? = {
                        let text = ""\"
                \(ClientKits.indented(facts.base64Lines, by: 12))
                            ""\"
                        guard let bytes = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else { return nil }
                        return SecCertificateCreateWithData(nil, bytes as CFData)
                    }()

                    static func isFor(_ host: String) -> Bool {
                        let host = host.lowercased()
                        return hosts.contains { pattern in
                            pattern.hasPrefix("*.") ? host.hasSuffix(pattern.dropFirst()) : host == pattern
                        }
                    }

                    /// For the delegates of URLSession, WKWebView, Kingfisher and Nuke.
                    static func answer(
                        _ challenge: URLAuthenticationChallenge
                    ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
                        let space = challenge.protectionSpace
                        guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust, isFor(space.host),
                            let trust = space.serverTrust, let certificate
                        else { return (.performDefaultHandling, nil) }
                        // The chain has to end at the CA, and the name has to be the server's: only the anchor is another.
                        SecTrustSetAnchorCertificates(trust, [certificate] as CFArray)
                        SecTrustSetAnchorCertificatesOnly(trust, false)
                        return SecTrustEvaluateWithError(trust, nil)
                            ? (.useCredential, URLCredential(trust: trust)) : (.performDefaultHandling, nil)
                    }
                }
                #endif

                """)
    }
}
