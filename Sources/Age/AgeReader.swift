/// Opens a sealed stream chunk by chunk; confined to its owner.
///
/// No byte of a chunk is given out before the whole chunk was found genuine.
package final class AgeReader {
    private let source: BufferedSource
    private let cipher: ChunkCipher
    private var number: UInt64 = 0
    /// One byte more than a chunk, which tells whether there is another one.
    private var sealed = [UInt8](repeating: 0, count: Chunks.sealedSize + 1)
    private var held = 0
    private var isEnded = false
    /// What is wrong behind the chunks that were given out.
    private var failure: AgeFailure?

    /// Reads the header; takes files in armor, too.
    package init(_ source: any ByteSource, _ identities: [any AgeIdentity]) throws(AgeFailure) {
        let bytes = BufferedSource(source)
        self.source = try Armor.begins(bytes) ? BufferedSource(ArmorSource(bytes)) : bytes
        let header = try AgeHeader(reading: self.source)
        let fileKey = try Self.fileKey(header, identities)
        guard header.isGenuine(fileKey) else { throw .mac }
        var nonce = [UInt8](repeating: 0, count: Chunks.nonceSize)
        guard try Self.fill(&nonce, from: 0, self.source) == nonce.count else {
            throw .header("the file ends within the payload's nonce")
        }
        cipher = try ChunkCipher(Chunks.key(fileKey, nonce: nonce), seals: false)
    }

    private static func fileKey(
        _ header: AgeHeader, _ identities: [any AgeIdentity]
    ) throws(AgeFailure) -> SecretBytes {
        guard header.stanzas.count == 1 || !header.stanzas.contains(where: { $0.type == Passphrase.type }) else {
            throw .header("a recipient “scrypt” is not the only one")
        }
        let stanzas = header.stanzas.map { AgeStanza($0) }
        for identity in identities {
            if let key = try identity.unwrap(stanzas) { return key }
        }
        let hasPassphrase = identities.contains { $0 is Passphrase }
        if header.stanzas.contains(where: { $0.type == Passphrase.type }) {
            throw hasPassphrase ? .passphrase : .onlyPassphrase
        }
        throw hasPassphrase ? .noPassphrase : .noMatch
    }

    /// Opens the next chunk into `room`, of 64 KiB, and returns its size; nil behind the last one.
    package func next(into room: inout [UInt8]) throws(AgeFailure) -> Int? {
        if let failure { throw failure }
        guard !isEnded else { return nil }
        held += try Self.fill(&sealed, from: held, source)
        let isLast = held <= Chunks.sealedSize
        let count = min(held, Chunks.sealedSize)
        guard count >= Primitives.tagSize else {
            throw .payload(
                number == 0 ? "its payload is missing" : "it was cut: its last chunk is missing")
        }
        if !open(count, isLast: isLast, into: &room) {
            // A whole chunk is genuine with the other mark, too: what is wrong then comes behind it.
            guard count == Chunks.sealedSize, open(count, isLast: !isLast, into: &room) else {
                throw .payload(isLast ? "it was cut or changed in its last chunk" : "chunk \(number + 1) was changed")
            }
            failure = .payload(isLast ? "it was cut: its last chunk is missing" : "there are bytes behind its end")
        }
        // Only a payload that is empty as a whole has an empty chunk.
        guard count > Primitives.tagSize || number == 0 else { throw .payload("its last chunk is empty") }
        number += 1
        isEnded = isLast
        if !isLast {
            sealed[0] = sealed[Chunks.sealedSize]
            held = 1
        }
        return count - Primitives.tagSize
    }

    private func open(_ count: Int, isLast: Bool, into room: inout [UInt8]) -> Bool {
        if room.count < Chunks.size { room = [UInt8](repeating: 0, count: Chunks.size) }
        let nonce = Chunks.nonce(number, isLast: isLast)
        return sealed.withUnsafeBytes { sealed in
            room.withUnsafeMutableBytes {
                cipher.open(UnsafeRawBufferPointer(rebasing: sealed[..<count]), into: $0, nonce: nonce)
            }
        }
    }

    private static func fill(
        _ bytes: inout [UInt8], from start: Int, _ source: BufferedSource
    ) throws(AgeFailure) -> Int {
        var failure: AgeFailure?
        let count = bytes.withUnsafeMutableBytes { room -> Int in
            do throws(AgeFailure) {
                return try source.readAll(into: UnsafeMutableRawBufferPointer(rebasing: room[start...]))
            } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        return count
    }
}
