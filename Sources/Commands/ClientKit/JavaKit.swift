extension ClientKit {
    static let java = ClientKit(name: "java", summary: "Java 11 and later") { facts in
        [
            ClientFile(
                path: "ShuntTrust.java",
                text: """
                    // Made by `shunt client-kit`. HttpClient.newBuilder().sslContext(ShuntTrust.context()).build()
                    // The CA is a file of this machine: where it is not, as on a server, the usual context is returned.
                    import java.io.InputStream;
                    import java.nio.file.Files;
                    import java.nio.file.Path;
                    import java.security.KeyStore;
                    import java.security.cert.CertificateFactory;
                    import java.security.cert.X509Certificate;
                    import javax.net.ssl.SSLContext;
                    import javax.net.ssl.TrustManager;
                    import javax.net.ssl.TrustManagerFactory;
                    import javax.net.ssl.X509TrustManager;

                    final class ShuntTrust {
                        private static final Path FILE =
                            Path.of(System.getenv().getOrDefault("SHUNT_CA", \(ClientFacts.quoted(facts.file))));

                        private ShuntTrust() {}

                        /** Trusts Shunt's development CA beside the usual roots. */
                        static SSLContext context() throws Exception {
                            if (!Files.exists(FILE)) return SSLContext.getDefault();
                            KeyStore roots = KeyStore.getInstance(KeyStore.getDefaultType());
                            roots.load(null, null);
                            int count = 0;
                            for (X509Certificate root : manager(null).getAcceptedIssuers()) {
                                roots.setCertificateEntry("root-" + count++, root);
                            }
                            try (InputStream input = Files.newInputStream(FILE)) {
                                roots.setCertificateEntry(
                                    "shunt", CertificateFactory.getInstance("X.509").generateCertificate(input));
                            }
                            SSLContext context = SSLContext.getInstance("TLS");
                            context.init(null, new TrustManager[] {manager(roots)}, null);
                            return context;
                        }

                        private static X509TrustManager manager(KeyStore roots) throws Exception {
                            TrustManagerFactory factory =
                                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
                            factory.init(roots);
                            return (X509TrustManager) factory.getTrustManagers()[0];
                        }
                    }

                    """)
        ]
    }
}
