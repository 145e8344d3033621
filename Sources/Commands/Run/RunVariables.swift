import Profiles
import Reactor
import TLS

/// The environment variables by which a command finds Shunt and trusts its certificates.
enum RunVariables {
    /// Each names a file with all roots that a program trusts: OpenSSL and Python, requests, curl, git, node.
    static let bundles = [
        "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS",
    ]

    /// Lays them over the variables that the command would have without Shunt.
    static func add(
        to environment: inout ProcessEnvironment, _ folder: RunFolder, _ hosts: RunHosts,
        port: (RunHosts.Place) -> UInt16
    ) {
        environment["SHUNT_URL"] = url(isTLS: true, port(.main))
        environment["SHUNT_CA"] = folder.authority
        for (variable, place) in hosts.variables { environment[variable] = url(isTLS: true, port(place)) }
        for base in hosts.bases {
            environment[base.variable] = url(isTLS: base.url.isTLS, port(base.place)) + base.url.path
        }
        for name in bundles { environment[name] = folder.bundle }
        environment["JAVA_TOOL_OPTIONS"] =
            ([environment["JAVA_TOOL_OPTIONS"]].compactMap { $0 } + javaOptions(trusting: folder.javaTrustStore))
            .joined(separator: " ")
        // A proxy of the machine would be asked for localhost, too, by programs that make no exception by themselves.
        for (proxy, exception) in [
            ("HTTPS_PROXY", "NO_PROXY"), ("HTTP_PROXY", "NO_PROXY"), ("ALL_PROXY", "NO_PROXY"),
            ("https_proxy", "no_proxy"), ("http_proxy", "no_proxy"), ("all_proxy", "no_proxy"),
        ]
        where environment[proxy] != nil {
            let present = environment[exception] ?? ""
            guard !present.split(separator: ",").contains("localhost") else { continue }
            environment[exception] = (present.isEmpty ? "" : present + ",") + "localhost,127.0.0.1,::1"
        }
    }

    /// By which Java trusts the certificates of a file; it splits the variable at spaces, but not within quotes.
    static func javaOptions(trusting file: String) -> [String] {
        let quote = file.contains(" ") ? "\"" : ""
        return [
            "-Djavax.net.ssl.trustStore=\(quote)\(file)\(quote)", "-Djavax.net.ssl.trustStoreType=JKS",
            "-Djavax.net.ssl.trustStorePassword=\(TrustBundle.javaPassword)",
        ]
    }

    private static func url(isTLS: Bool, _ port: UInt16) -> String { "\(isTLS ? "https" : "http")://localhost:\(port)" }
}
