/// A keyed digest of 128 bits, by which equal content is found; without the key it tells nothing about the content.
package struct ContentDigest: Sendable {
    private let keyed: KeyedDigest

    /// - Parameter purpose: digests for one purpose cannot be compared with those for another.
    package init(key: [UInt8], purpose: String) {
        var derived = KeyedDigest(key: key)
        derived.append(Array(purpose.utf8))
        keyed = KeyedDigest(key: derived.finishWhole())
    }

    /// The digest of some bytes, 16 bytes long.
    package func digest(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var state = keyed
        state.append(Span(_unsafeElements: bytes.assumingMemoryBound(to: UInt8.self)))
        return Array(state.finishWhole().prefix(16))
    }
}
