import Platform

/// Seals a stream of bytes to recipients, in memory of one chunk; confined to its owner.
package final class AgeWriter: ByteSink {
    private let sink: any ByteSink
    private let cipher: ChunkCipher
    private var gathered: [UInt8] = []
    private var sealed = [UInt8](repeating: 0, count: Chunks.sealedSize)
    private var number: UInt64 = 0

    /// Writes the header.
    package init(to sink: any ByteSink, _ recipients: [any AgeRecipient]) throws(AgeFailure) {
        let key = try SealingKey(recipients)
        self.sink = sink
        let nonce = Primitives.random(Chunks.nonceSize)
        cipher = try ChunkCipher(Chunks.key(key.fileKey, nonce: nonce), seals: true)
        try sink.write(key.header + nonce)
        gathered.reserveCapacity(Chunks.size)
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(AgeFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            // A full chunk waits for the next byte, since the last chunk is told from the others.
            if gathered.count == Chunks.size { try flush(isLast: false) }
            if gathered.isEmpty, rest.count > Chunks.size {
                try seal(UnsafeRawBufferPointer(rebasing: rest.prefix(Chunks.size)), isLast: false)
                rest = rest.dropFirst(Chunks.size)
                continue
            }
            let count = min(rest.count, Chunks.size - gathered.count)
            gathered.append(contentsOf: UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
    }

    /// Writes the last chunk; a file without it is told from a whole one.
    package func finish() throws(AgeFailure) { try flush(isLast: true) }

    private func flush(isLast: Bool) throws(AgeFailure) {
        var failure: AgeFailure?
        gathered.withUnsafeBytes { bytes in
            do throws(AgeFailure) { try seal(bytes, isLast: isLast) } catch { failure = error }
        }
        gathered.removeAll(keepingCapacity: true)
        if let failure { throw failure }
    }

    private func seal(_ bytes: UnsafeRawBufferPointer, isLast: Bool) throws(AgeFailure) {
        let nonce = Chunks.nonce(number, isLast: isLast)
        number += 1
        var failure: AgeFailure?
        sealed.withUnsafeMutableBytes { room in
            guard cipher.seal(bytes, into: room, nonce: nonce) else {
                failure = .calculation("ChaCha20-Poly1305")
                return
            }
            do throws(AgeFailure) {
                try sink.write(UnsafeRawBufferPointer(rebasing: room[..<(bytes.count + Primitives.tagSize)]))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}

/// The key of a file that is being sealed, with the header that gives it to recipients.
package struct SealingKey {
    let fileKey: SecretBytes
    package let header: [UInt8]

    package init(_ recipients: [any AgeRecipient]) throws(AgeFailure) {
        guard !recipients.isEmpty else { throw .key("there is no recipient; name one") }
        guard recipients.count == 1 || !recipients.contains(where: \.isAlone) else {
            throw .key("a passphrase cannot be combined with other recipients")
        }
        fileKey = SecretBytes.random(FileKey.size)
        var stanzas: [Stanza] = []
        for recipient in recipients { stanzas += try recipient.wrap(fileKey).map(\.stanza) }
        header = AgeHeader(stanzas: stanzas, fileKey: fileKey).bytes
    }
}
