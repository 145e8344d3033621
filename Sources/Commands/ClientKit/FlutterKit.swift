extension ClientKit {
    static let flutter = ClientKit(name: "flutter", summary: "Flutter and Dart's HttpClient") { facts in
        [
            ClientFile(
                path: "lib/shunt_trust.dart",
                text: """
                    // Made by `shunt client-kit`. Call trustShunt() first in main().
                    import 'dart:convert';
                    import 'dart:io';

                    const _certificate = '''
                    \(facts.pem)''';

                    class _ShuntOverrides extends HttpOverrides {
                      @override
                      HttpClient createHttpClient(SecurityContext? context) {
                        final trusted = context ?? SecurityContext(withTrustedRoots: true);
                        trusted.setTrustedCertificatesBytes(utf8.encode(_certificate));
                        return super.createHttpClient(trusted);
                      }
                    }

                    /// Trusts Shunt's development CA beside the system's. The compiler leaves assertions out of releases, and
                    /// with them all of this.
                    void trustShunt() {
                      assert(() {
                        HttpOverrides.global = _ShuntOverrides();
                        return true;
                      }());
                    }

                    """)
        ]
    }
}
