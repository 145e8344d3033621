public import Bytes
import COpenSSL

/// The result of a call on a ``Session``.
public enum SessionOutcome: Sendable, Equatable {
    /// Done, with this many bytes of plaintext.
    case bytes(Int)
    /// Nothing more before the socket becomes readable.
    case wantRead
    /// Nothing more before the socket becomes writable.
    case wantWrite
    /// The peer ended the stream: with close_notify (clean), or by just closing the connection.
    case end(clean: Bool)
}

/// One TLS connection over a non-blocking socket, either end of it.
///
/// Confined to the loop that owns the socket. The session reads and writes the descriptor in `readiness` itself and
/// keeps the flags there up to date; it never closes it. `readiness` must stay where it is until the session is gone.
/// Order of calls: ``handshake()`` until it gives `.bytes(0)`, then ``read(into:)`` and ``write(_:)``, in the end
/// ``shutdown()``. After a thrown failure only releasing the session makes sense.
public final class Session {
    let ssl: OpaquePointer
    let wire: UnsafeMutablePointer<SocketBIO>
    /// Keeps what OpenSSL's callbacks point at alive.
    let context: AnyObject
    /// Where sessions gained here go, in a client.
    private let resumption: ResumptionStore?
    /// The host that a client expects.
    private let host: String
    /// The failure of a callback, which can only report to OpenSSL that it failed.
    var callbackFailure: TLSFailure?
    /// A failure met after bytes had already been read: the next read throws it.
    var deferredFailure: TLSFailure?
    var isEstablished = false
    var isBroken = false
    /// The origin has asked for a certificate, and there was none to show.
    public internal(set) var lacksCertificate = false
    /// Why the origin ended the connection, where it is because of a certificate of its client's.
    public internal(set) var certificateComplaint: String?
    /// Faults of form in the origin's chain that were forgiven.
    private var faults: [String] = []
    /// How often the origin has asked for another handshake, and the certificate that it had shown before.
    var renegotiations = 0
    var shownBefore = ""
    let isServer: Bool
    /// A server's client has to show a certificate.
    let wantsCertificate: Bool

    /// A session that waits for a client's hello.
    public init(server: ServerContext, readiness: UnsafeMutablePointer<Readiness>) throws(TLSFailure) {
        (ssl, wire) = try Session.open(server.pointer, readiness)
        context = server
        resumption = nil
        host = ""
        isServer = true
        wantsCertificate = server.wantsCertificates
        SSL_set_accept_state(ssl)
        SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
    }

    /// A session that says hello to `host`, the name it asks for (SNI) and expects in the certificate.
    ///
    /// An IP address (brackets and zone allowed) is not sent as SNI and must appear in the certificate as an address.
    /// `resumption` must belong to the pool of this one origin; `alpn` is offered instead of what the context offers.
    public init(
        client: ClientContext, readiness: UnsafeMutablePointer<Readiness>, host: String, resumption: ResumptionStore?,
        alpn: [String]? = nil
    ) throws(TLSFailure) {
        guard let name = HostName(host) else {
            throw TLSFailure(.configuration, "“\(host)” is neither a host name nor an IP address")
        }
        (ssl, wire) = try Session.open(client.pointer, readiness)
        context = client
        // A resumed session brings neither a chain nor a response about its revocation.
        self.resumption = client.revocation == nil ? resumption : nil
        self.host = name.text
        isServer = false
        wantsCertificate = false
        SSL_set_connect_state(ssl)
        SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
        if let alpn {
            let names = try ContextSettings.encode(alpn: alpn)
            SSL_set_alpn_protos(ssl, names, CUnsignedInt(names.count))
        }
        try expect(name)
        if client.revocation?.ocsp == true { shunt_SSL_ask_for_staple(ssl) }
        if let ticket = self.resumption?.take(for: client, host: name.text) {
            SSL_set_session(ssl, ticket)
            SSL_SESSION_free(ticket)
        }
    }

    deinit {
        // SSL_free treats a connection without close_notify as broken and invalidates the session in the resumption
        // store.
        if isEstablished && !isBroken { SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN) }
        SSL_free(ssl)
        wire.pointee.dropOutput()
        wire.deinitialize(count: 1)
        wire.deallocate()
    }

    private static func open(
        _ context: OpaquePointer, _ readiness: UnsafeMutablePointer<Readiness>
    ) throws(TLSFailure) -> (OpaquePointer, UnsafeMutablePointer<SocketBIO>) {
        ERR_clear_error()
        guard let ssl = SSL_new(context) else { throw .configuration("no TLS session could be made") }
        let wire = UnsafeMutablePointer<SocketBIO>.allocate(capacity: 1)
        wire.initialize(to: SocketBIO(readiness))
        guard let bio = SocketBIO.makeBIO(wire) else {
            SSL_free(ssl)
            wire.deallocate()
            throw .configuration("no TLS session could be made")
        }
        // One reference serves both directions.
        SSL_set_bio(ssl, bio, bio)
        return (ssl, wire)
    }

    private func expect(_ name: HostName) throws(TLSFailure) {
        ERR_clear_error()
        let isSet = name.isAddress || shunt_SSL_set_servername(ssl, name.text) == 1
        guard isSet, name.expect(in: SSL_get0_param(ssl)) else {
            throw .configuration("“\(name.text)” cannot be asked for")
        }
    }

    /// Keeps a session for later connections; false if it is of no use.
    func keep(_ ticket: OpaquePointer) -> Bool {
        guard resumption?.put(ticket, of: ObjectIdentifier(context), host: host) == true else { return false }
        if !wasResumed { resumption?.faults = faults }
        return true
    }

    /// The origin's faults that browsers forgive, and Shunt too: those of form in its chain, each with its certificate.
    ///
    /// A resumed handshake brings no chain, so they are those of the connection that its session is from.
    public var forgivenFaults: [String] {
        let ofChain = wasResumed ? resumption?.faults ?? [] : faults
        let isSecure = SSL_version(ssl) >= TLS1_3_VERSION || shunt_SSL_get_secure_renegotiation_support(ssl) == 1
        return isSecure ? ofChain : ofChain + ["no secure renegotiation (RFC 5746)"]
    }

    /// Remembers a fault that was forgiven; each verification of the chain finds it again.
    func noteFault(of certificate: String, _ code: CInt) {
        let text = "\(certificate): \(String(cString: X509_verify_cert_error_string(Int(code))))"
        if faults.count < 8, !faults.contains(text) { faults.append(text) }
    }

    /// The session that OpenSSL calls back about; nil outside a call on one.
    static func of(_ ssl: OpaquePointer?) -> Session? {
        guard let ssl else { return nil }
        return SSL_get_ex_data(ssl, 0).map { Unmanaged<Session>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The session whose chain is being verified; nil where it is verified without a connection.
    static func of(context: OpaquePointer) -> Session? {
        of(X509_STORE_CTX_get_ex_data(context, SSL_get_ex_data_X509_STORE_CTX_idx()).map { OpaquePointer($0) })
    }

    /// The descriptor, for callbacks that want to know the local address.
    var descriptor: CInt { wire.pointee.readiness.pointee.descriptor }
}
