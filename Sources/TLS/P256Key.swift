import Bytes
import COpenSSL

/// A key of P-256 as Shunt and `openssl genpkey` write it (PKCS #8 in PEM), read without OpenSSL's search for a decoder.
///
/// That search is a fourth of a start's instructions, and each start reads two keys.
enum P256Key {
    private static let (begin, end) = ("-----BEGIN PRIVATE KEY-----\n", "-----END PRIVATE KEY-----\n")
    /// All in front of the number, which has 32 bytes (RFC 5958 2, RFC 5915 3).
    private static let head: [UInt8] = [
        0x30, 0x81, 0x87, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06,
        0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x04, 0x6D, 0x30, 0x6B, 0x02, 0x01, 0x01, 0x04, 0x20,
    ]
    /// Between the number and the point, which has 65 bytes.
    private static let middle: [UInt8] = [0xA1, 0x44, 0x03, 0x42, 0x00]

    /// The key, which belongs to the caller; nil for every other form, which is no fault.
    static func read(_ pem: [UInt8]) -> OpaquePointer? {
        guard pem.count > begin.utf8.count + end.utf8.count, pem.starts(with: begin.utf8),
            pem.suffix(end.utf8.count).elementsEqual(end.utf8)
        else { return nil }
        let text = String(decoding: pem[begin.utf8.count..<pem.count - end.utf8.count], as: UTF8.self)
        guard let bytes = Base64Decoder.bytes(text), bytes.count == head.count + 32 + middle.count + 65,
            bytes.starts(with: head), bytes[(head.count + 32)...].starts(with: middle)
        else { return nil }
        return bytes.withUnsafeBufferPointer { bytes in
            bytes.baseAddress.flatMap { shunt_P256_key($0 + head.count, $0 + head.count + 32 + middle.count) }
        }
    }
}
