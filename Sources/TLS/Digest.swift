import COpenSSL

/// SHA-256 (FIPS 180-4) of some bytes; nil when OpenSSL is out of memory.
public func sha256(_ bytes: Span<UInt8>) -> [UInt8]? {
    var digest = [UInt8](repeating: 0, count: 32)
    var count: CUnsignedInt = 32
    let result = bytes.withUnsafeBytes { EVP_Digest($0.baseAddress, $0.count, &digest, &count, EVP_sha256(), nil) }
    return result == 1 && count == 32 ? digest : nil
}
