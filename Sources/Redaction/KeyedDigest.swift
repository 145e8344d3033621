import COpenSSL

/// HMAC-SHA256 (RFC 2104) of the appended bytes; the key is processed once for all values.
struct KeyedDigest: Sendable {
    private var inner = SHA256_CTX()
    private var outer = SHA256_CTX()

    /// Prepares the state after the key; each value starts with a copy of it.
    init(key: [UInt8]) {
        var block = [UInt8](repeating: 0, count: 64)
        if key.count > block.count {
            var state = SHA256_CTX()
            shunt_SHA256_init(&state)
            shunt_SHA256_update(&state, key, key.count)
            shunt_SHA256_final(&block, &state)
        } else {
            block.replaceSubrange(..<key.count, with: key)
        }
        shunt_SHA256_init(&inner)
        shunt_SHA256_update(&inner, block.map { $0 ^ 0x36 }, block.count)
        shunt_SHA256_init(&outer)
        shunt_SHA256_update(&outer, block.map { $0 ^ 0x5C }, block.count)
    }

    mutating func append(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { shunt_SHA256_update(&inner, $0.baseAddress, $0.count) }
    }

    mutating func append(_ bytes: [UInt8]) { shunt_SHA256_update(&inner, bytes, bytes.count) }

    /// All 256 bits; nothing may be appended after that.
    mutating func finishWhole() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        shunt_SHA256_final(&digest, &inner)
        shunt_SHA256_update(&outer, digest, digest.count)
        shunt_SHA256_final(&digest, &outer)
        return digest
    }

    /// The first 40 bits, in the low end; nothing may be appended after that.
    mutating func finish() -> UInt64 {
        withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { digest in
            let start = digest.assumingMemoryBound(to: UInt8.self)
            shunt_SHA256_final(start.baseAddress, &inner)
            shunt_SHA256_update(&outer, start.baseAddress, digest.count)
            shunt_SHA256_final(start.baseAddress, &outer)
            return UInt64(bigEndian: digest.loadUnaligned(as: UInt64.self)) &>> 24
        }
    }
}
