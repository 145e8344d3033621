/// Seals chunks one by one, for a file that grows; a value, so that a chunk can be sealed again where writing it failed.
package struct ChunkSealer {
    package static let size = Chunks.size

    private let cipher: ChunkCipher
    private var number: UInt64 = 0
    /// What the file begins with.
    package let header: [UInt8]

    /// - Parameter key: may serve several files, each with a nonce of its own and so with another key for its chunks.
    package init(_ key: SealingKey) throws(AgeFailure) {
        let nonce = Primitives.random(Chunks.nonceSize)
        cipher = try ChunkCipher(Chunks.key(key.fileKey, nonce: nonce), seals: true)
        header = key.header + nonce
    }

    /// The next chunk.
    ///
    /// All but the last one have 64 KiB, and the same number must never get other bytes.
    package mutating func seal(_ bytes: ArraySlice<UInt8>, isLast: Bool) throws(AgeFailure) -> [UInt8] {
        var sealed = [UInt8](repeating: 0, count: bytes.count + Primitives.tagSize)
        let isDone = sealed.withUnsafeMutableBytes { room in
            bytes.withUnsafeBytes { cipher.seal($0, into: room, nonce: Chunks.nonce(number, isLast: isLast)) }
        }
        guard isDone else { throw .calculation("ChaCha20-Poly1305") }
        number += 1
        return sealed
    }

    /// A whole file.
    package static func whole(_ bytes: [UInt8], _ key: SealingKey) throws(AgeFailure) -> [UInt8] {
        var chunks = try ChunkSealer(key)
        var (file, at) = (chunks.header, 0)
        while bytes.count - at > size {
            file += try chunks.seal(bytes[at..<at + size], isLast: false)
            at += size
        }
        return file + (try chunks.seal(bytes[at...], isLast: true))
    }
}
