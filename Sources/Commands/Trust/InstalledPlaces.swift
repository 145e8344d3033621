import Platform
import TLS

/// What was installed at places that cannot be asked: a line for each, in a file beside the CA.
struct InstalledPlaces {
    private let file: String

    init(_ folder: AuthorityFolder) { file = folder.path + "/installed" }

    private func line(_ place: any TrustPlace, _ certificate: CertificateFile) -> String {
        "\(certificate.storeName) \(place.label)"
    }

    private var lines: [String] {
        let bytes = (try? Files.read(file)) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    func has(_ place: any TrustPlace, _ certificate: CertificateFile) -> Bool {
        lines.contains(line(place, certificate))
    }

    func set(_ place: any TrustPlace, _ certificate: CertificateFile, _ isInstalled: Bool) throws(FileFailure) {
        let own = line(place, certificate)
        let rest = lines.filter { $0 != own } + (isInstalled ? [own] : [])
        if rest.isEmpty {
            unlink(file)
        } else {
            try Files.write(Array((rest.joined(separator: "\n") + "\n").utf8), to: file, mode: 0o600)
        }
    }
}
