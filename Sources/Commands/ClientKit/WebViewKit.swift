extension ClientKit {
    static let wkwebview = ClientKit(name: "wkwebview", summary: "WKWebView") { facts in
        [
            .swiftTrust(facts),
            ClientFile(
                path: "ShuntTrust+WebView.swift",
                text: """
                    #if DEBUG
                    import Foundation
                    import WebKit

                    /// webView.navigationDelegate = delegate; or copy the method into the delegate that you have.
                    class ShuntNavigationDelegate: NSObject, WKNavigationDelegate {
                        func webView(
                            _ webView: WKWebView, didReceive challenge: URLAuthenticationChallenge,
                            completionHandler: @escaping @MainActor @Sendable (
                                URLSession.AuthChallengeDisposition, URLCredential?
                            ) -> Void
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
