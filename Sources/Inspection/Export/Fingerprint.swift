import COpenSSL

/// The SHA-256 of bytes.
func sha256(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    let bytes = Array(bytes)
    var state = SHA256_CTX()
    var digest = [UInt8](repeating: 0, count: 32)
    shunt_SHA256_init(&state)
    bytes.withUnsafeBytes { shunt_SHA256_update(&state, $0.baseAddress, $0.count) }
    shunt_SHA256_final(&digest, &state)
    return digest
}
