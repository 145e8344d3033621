import Admin
import Platform

/// How this machine can be made to trust the development CA: one command, for the system at hand.
enum TrustAdvice {
    static func command(certificate: String) -> String {
        let file = Path.quoted(certificate)
        #if canImport(Darwin)
        return "sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain \(file)"
        #else
        // Debian and Ubuntu; Fedora and Red Hat; everything else that has p11-kit, such as Arch.
        if Files.isDirectory("/usr/local/share/ca-certificates") {
            return "sudo cp \(file) /usr/local/share/ca-certificates/shunt.crt && sudo update-ca-certificates"
        }
        if Files.isDirectory("/etc/pki/ca-trust/source/anchors") {
            return "sudo cp \(file) /etc/pki/ca-trust/source/anchors/shunt.pem && sudo update-ca-trust"
        }
        return "sudo trust anchor \(file)"
        #endif
    }
}
