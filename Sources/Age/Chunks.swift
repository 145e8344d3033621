/// The payload's chunks (STREAM): their size, and the nonce of each.
enum Chunks {
    static let size = 64 << 10
    static let sealedSize = size + Primitives.tagSize
    static let nonceSize = 16

    /// The key of a payload.
    static func key(_ fileKey: SecretBytes, nonce: [UInt8]) -> SecretBytes {
        Primitives.hkdf(fileKey, salt: nonce, info: "payload")
    }

    /// Eleven bytes that count, and one that says whether it is the last chunk.
    static func nonce(_ number: UInt64, isLast: Bool) -> [UInt8] {
        var nonce = [UInt8](repeating: 0, count: 12)
        for index in 0..<8 { nonce[10 - index] = UInt8(truncatingIfNeeded: number >> UInt64(8 * index)) }
        nonce[11] = isLast ? 1 : 0
        return nonce
    }
}
