// What libFuzzer calls for age files. A header that is read is written again byte for byte, and nothing traps: neither
// armor, nor keys as text, nor a payload behind a header.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAge(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let all = Array(UnsafeBufferPointer(start: start, count: count))
    guard let selector = all.first else { return 0 }
    let input = Array(all.dropFirst())
    switch selector & 3 {
    case 0:
        let source = BufferedSource(ArraySource(input), size: 1 + Int(selector >> 2))
        guard let header = try? AgeHeader(reading: source) else { return 0 }
        precondition(input.starts(with: header.bytes), "a header is not written as it was read")
    case 1:
        let text = String(decoding: input, as: UTF8.self)
        _ = RecipientText.recipients(text)
        _ = IdentityText.identities(text)
        if let (name, bytes) = Bech32.bytes(text) {
            precondition(Bech32.text(name, bytes) == text.lowercased(), "a key is not written as it was read")
        }
    case 2:
        let source = ArmorSource(BufferedSource(ArraySource(input)))
        var room = [UInt8](repeating: 0, count: 100)
        while let count = try? room.withUnsafeMutableBytes({ try source.read(into: $0) }), count > 0 {}
    default:
        let secret = SecretBytes([UInt8](repeating: 7, count: 16))
        guard let reader = try? AgeReader(ArraySource(input), [KnownKey(secret: secret)]) else { return 0 }
        var room: [UInt8] = []
        while let count = try? reader.next(into: &room), count > 0 {}
    }
    return 0
}

/// Takes every header for its own, so that what stands behind it is read.
struct KnownKey: AgeIdentity {
    let secret: SecretBytes

    func unwrap(_ stanzas: [AgeStanza]) throws(AgeFailure) -> SecretBytes? { secret }
}
