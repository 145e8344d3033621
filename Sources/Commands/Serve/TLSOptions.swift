import Platform
import Reactor
import TLS

/// What `serve` asks of clients in TLS, and whether it leaves the keys of connections behind.
struct TLSOptions: Sendable {
    /// Clients must show a certificate of one of the authorities in this file.
    var clientAuthorities: String?
    /// Where the secrets of TLS connections are written; nil for nowhere.
    var keyLog: String?

    static let options = [
        Option.value(
            "client-ca", "FILE",
            "Serve only clients that show a certificate of these authorities (PEM); plain HTTP is refused."),
        .value(
            "keylog", "FILE", default: "$SSLKEYLOGFILE, else none",
            "Write the keys of all TLS connections here, with which Wireshark decrypts them."),
    ]

    static func read(_ arguments: Arguments, _ environment: ProcessEnvironment) -> TLSOptions {
        var options = TLSOptions()
        options.clientAuthorities = arguments.text("client-ca").map { Path.absolute($0) }
        let variable = environment["SSLKEYLOGFILE"].flatMap { $0.isEmpty ? nil : $0 }
        options.keyLog = (arguments.text("keylog") ?? variable).map { Path.absolute($0) }
        return options
    }

    /// To be called before the first TLS context is made.
    func start() throws {
        guard let keyLog else { return }
        try CommandFailure.of(
            advice: "Name another file by --keylog, or unset SSLKEYLOGFILE if no keys are to be written."
        ) { try KeyLog.start(keyLog) }
    }
}
