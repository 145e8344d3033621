import COpenSSL

/// SHA-256 (FIPS 180-4) of some bytes; nil when OpenSSL is out of memory.
public func sha256(_ bytes: Span<UInt8>) -> [UInt8]? {
    var digest = [UInt8](repeating: 0, count: 32)
    var count: CUnsignedInt = 32
    let result = bytes.withUnsafeBytes { EVP_Digest($0.baseAddress, $0.count, &digest, &count, EVP_sha256(), nil) }
    return result == 1 && count == 32 ? digest : nil
}

/// HMAC-SHA-256 (RFC 2104).
public func hmacSHA256(_ key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    var count: CUnsignedInt = 0
    // A null pointer would stand for the key of the call before.
    let start = key.isEmpty ? [0] : key
    _ = HMAC(EVP_sha256(), start, CInt(key.count), bytes, bytes.count, &digest, &count)
    return digest
}
