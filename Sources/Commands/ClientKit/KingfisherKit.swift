extension ClientKit {
    static let kingfisher = ClientKit(name: "kingfisher", summary: "Kingfisher 8") { facts in
        [
            .swiftTrust(facts),
            ClientFile(
                path: "ShuntTrust+Kingfisher.swift",
                text: """
                    #if DEBUG
                    import Foundation
                    import Kingfisher
                    import Security

                    /// Kingfisher keeps its responder weakly, hence the shared one:
                    /// KingfisherManager.shared.downloader.authenticationChallengeResponder = ShuntImageTrust.shared
                    final class ShuntImageTrust: AuthenticationChallengeResponsible, Sendable {
                        static let shared = ShuntImageTrust()

                        func downloader(
                            _ downloader: ImageDownloader, didReceive challenge: URLAuthenticationChallenge
                        ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
                            ShuntTrust.answer(challenge)
                        }

                        func downloader(
                            _ downloader: ImageDownloader, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
                        ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
                            ShuntTrust.answer(challenge)
                        }
                    }
                    #endif

                    """),
        ]
    }
}
