extension ClientKit {
    static let okhttp = ClientKit(name: "okhttp", summary: "OkHttp 4 and 5, with okhttp-tls") { facts in
        [
            ClientFile(
                path: "app/src/debug/kotlin/shunt/ShuntTrust.kt",
                text: """
                    // Made by `shunt client-kit`. In the source set `debug`: no release is built with it.
                    // build.gradle.kts: debugImplementation("com.squareup.okhttp3:okhttp-tls:<the version of okhttp>")
                    package shunt

                    import okhttp3.OkHttpClient
                    import okhttp3.tls.HandshakeCertificates
                    import okhttp3.tls.decodeCertificatePem

                    private const val CERTIFICATE = ""\"
                    \(facts.pem)""\"

                    /** Trusts Shunt's development CA beside the platform's. */
                    fun OkHttpClient.Builder.trustShunt(): OkHttpClient.Builder {
                        val certificates = HandshakeCertificates.Builder()
                            .addPlatformTrustedCertificates()
                            .addTrustedCertificate(CERTIFICATE.trim().decodeCertificatePem())
                            .build()
                        return sslSocketFactory(certificates.sslSocketFactory(), certificates.trustManager)
                    }

                    """),
            ClientFile(
                path: "app/src/release/kotlin/shunt/ShuntTrust.kt",
                text: """
                    // Made by `shunt client-kit`: what the source set `release` has instead.
                    package shunt

                    import okhttp3.OkHttpClient

                    fun OkHttpClient.Builder.trustShunt(): OkHttpClient.Builder = this

                    """),
        ]
    }
}
