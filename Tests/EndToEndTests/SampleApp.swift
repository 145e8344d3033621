import Foundation
import JSON
import TestSupport

/// A sample app's pages and API in one environment (`Browser/sample_app.py`).
final class SampleApp: Sendable {
    static let scripts = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Browser"

    let process: ChildProcess
    let folder: TemporaryFolder
    /// The addresses that it knows itself by.
    let pages: String
    let api: String
    private let pagesPort: UInt16
    private let apiPort: UInt16

    /// - Parameter host: with TLS it is `localhost`, with a certificate that it signed itself.
    init(_ name: String, isTLS: Bool, hasCORS: Bool = true) throws {
        folder = try TemporaryFolder()
        let host = isTLS ? "localhost" : "127.0.0.1"
        var arguments = [Self.scripts + "/sample_app.py", name, isTLS ? "https" : "http", host]
        if isTLS {
            let made = try ChildProcess.run(
                "/usr/bin/env",
                [
                    "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost",
                ], directory: folder.path)
            guard made.status == 0 else { throw ChildProcess.Overdue(description: made.errors) }
            arguments += [folder.path + "/cert.pem", folder.path + "/key.pem"]
        }
        if !hasCORS { arguments.append("--no-cors") }
        let process = try ChildProcess("/usr/bin/env", ["python3"] + arguments)
        self.process = process
        guard eventually({ process.output.hasSuffix("\n") }) else {
            throw ChildProcess.Overdue(description: "the sample app did not start: \(process.errors)")
        }
        let ports = try JSONReader.read(process.output)
        pagesPort = UInt16(ports["pages"]?.number?.int64 ?? 0)
        apiPort = UInt16(ports["api"]?.number?.int64 ?? 0)
        pages = "\(isTLS ? "https" : "http")://\(host):\(pagesPort)"
        api = "\(isTLS ? "https" : "http")://\(host):\(apiPort)"
    }

    deinit { process.signal(9) }

    /// PEM of the certificate that it signed itself.
    var certificate: String { folder.path + "/cert.pem" }

    /// All Cookie fields that it was sent so far.
    func seen() throws -> [String] {
        try [pages, api].flatMap { address in
            let response = try ChildProcess.run("/usr/bin/env", ["curl", "-sSk", "--noproxy", "*", address + "/seen"])
            return try JSONReader.read(response.output).array?.compactMap(\.string) ?? []
        }
    }
}
