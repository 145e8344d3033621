import COpenSSL
import Synchronization

/// The keys that seal the session tickets of clients; a new one after each period.
///
/// Tickets are sealed with the newest key, and those of the key before it are still taken: so a ticket resumes for at
/// least one period and never for two, and a key that leaks opens no more than that (RFC 5077 5.5).
final class TicketKeys: Sendable {
    /// Seconds; a ticket itself is good for twice as long.
    static let period: Int64 = 60 * 60

    private let state = Mutex(TicketState())
    private let clock: @Sendable () -> Int64

    /// - Parameter clock: seconds.
    init(clock: @escaping @Sendable () -> Int64) { self.clock = clock }

    /// The key that new tickets get; nil without random numbers.
    fileprivate func newest() -> TicketKey? {
        let number = clock() / Self.period
        return state.withLock { state in
            state.move(to: number)
            if state.current == nil { state.current = TicketKey() }
            return state.current
        }
    }

    /// The key by that name, and whether a newer one has come since.
    fileprivate func key(named name: [UInt8]) -> (key: TicketKey, isOld: Bool)? {
        let number = clock() / Self.period
        return state.withLock { state in
            state.move(to: number)
            if let key = state.current, key.name == name { return (key, false) }
            if let key = state.previous, key.name == name { return (key, true) }
            return nil
        }
    }
}

/// The key of the present period and the one before it, if they were needed.
private struct TicketState {
    var current: TicketKey?
    var previous: TicketKey?
    var number: Int64 = 0

    /// Forgets keys whose time is over; a clock that was set back ends them, too.
    mutating func move(to now: Int64) {
        guard now != number else { return }
        previous = now == number + 1 ? current : nil
        (current, number) = (nil, now)
    }
}

/// AES-256 and HMAC-SHA256, as RFC 5077 4 recommends.
private struct TicketKey {
    let name: [UInt8]
    let cipher: [UInt8]
    let mac: [UInt8]

    init?() {
        var bytes = [UInt8](repeating: 0, count: 80)
        guard RAND_bytes(&bytes, CInt(bytes.count)) == 1 else { return nil }
        (name, cipher, mac) = (Array(bytes[..<16]), Array(bytes[16..<48]), Array(bytes[48...]))
    }
}

/// OpenSSL's callback for a ticket that is to be sealed or opened.
func useTicketKey(
    _ ssl: OpaquePointer?, _ name: UnsafeMutablePointer<UInt8>?, _ iv: UnsafeMutablePointer<UInt8>?,
    _ cipher: OpaquePointer?, _ mac: OpaquePointer?, _ isSealing: CInt
) -> CInt {
    let failed: CInt = -1
    guard let name, let iv, let keys = (Session.of(ssl)?.context as? ServerContext)?.tickets else { return failed }
    if isSealing == 1 {
        guard let key = keys.newest(), RAND_bytes(iv, EVP_CIPHER_get_iv_length(EVP_aes_256_cbc())) == 1 else {
            return failed
        }
        name.update(from: key.name, count: key.name.count)
        return shunt_ticket_use(cipher, mac, key.cipher, key.mac, iv, 1) == 1 ? 1 : failed
    }
    // 0 begins a whole handshake, 2 sends a new ticket; in TLS 1.3 each ticket is used once.
    guard let (key, isOld) = keys.key(named: Array(UnsafeBufferPointer(start: name, count: 16))) else { return 0 }
    guard shunt_ticket_use(cipher, mac, key.cipher, key.mac, iv, 0) == 1 else { return failed }
    return isOld || SSL_version(ssl) == TLS1_3_VERSION ? 2 : 1
}
