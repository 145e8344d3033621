extension ClientKit {
    static let alamofire = ClientKit(name: "alamofire", summary: "Alamofire 5") { facts in
        [
            .swiftTrust(facts),
            ClientFile(
                path: "ShuntTrust+Alamofire.swift",
                text: """
                    #if DEBUG
                    import Alamofire
                    import Foundation
                    import Security

                    /// Session(serverTrustManager: ShuntTrustManager())
                    final class ShuntTrustManager: ServerTrustManager, @unchecked Sendable {
                        private let evaluator = PinnedCertificatesTrustEvaluator(
                            certificates: [ShuntTrust.certificate].compactMap { $0 }, acceptSelfSignedCertificates: true,
                            performDefaultValidation: true, validateHost: true)

                        init() { super.init(allHostsMustBeEvaluated: false, evaluators: [:]) }

                        /// Alamofire's own dictionary knows no wildcards.
                        override func serverTrustEvaluator(forHost host: String) throws -> (any ServerTrustEvaluating)? {
                            ShuntTrust.isFor(host) ? evaluator : nil
                        }
                    }
                    #endif

                    """),
        ]
    }
}
