import Age
import Foundation

/// What opening a file came to.
enum Outcome: Equatable {
    case success
    case failure(String)

    init(_ failure: AgeFailure) {
        self =
            switch failure {
            case .armor: .failure("armor failure")
            case .header: .failure("header failure")
            case .noMatch, .passphrase, .onlyPassphrase, .noPassphrase: .failure("no match")
            case .mac: .failure("HMAC failure")
            case .payload: .failure("payload failure")
            default: .failure(failure.message)
            }
    }
}

/// Opens a file as far as it goes.
func open(_ bytes: [UInt8], _ identities: [any AgeIdentity]) -> (outcome: Outcome, plain: [UInt8]) {
    var plain: [UInt8] = []
    do throws(AgeFailure) {
        let reader = try AgeReader(ArraySource(bytes), identities)
        var room: [UInt8] = []
        while let count = try reader.next(into: &room) { plain += room[..<count] }
        return (.success, plain)
    } catch {
        return (Outcome(error), plain)
    }
}

/// Whether a file opens to these bytes, as a whole.
func opens(_ bytes: [UInt8], _ identities: [any AgeIdentity], to plain: [UInt8]) -> Bool {
    let (outcome, opened) = open(bytes, identities)
    return outcome == .success && opened == plain
}

func seal(_ plain: [UInt8], _ recipients: [any AgeRecipient]) throws -> [UInt8] {
    let sink = ArraySink()
    let writer = try AgeWriter(to: sink, recipients)
    try writer.write(plain)
    try writer.finish()
    return sink.bytes
}

func armored(_ bytes: [UInt8]) throws -> [UInt8] {
    let sink = ArraySink()
    let armor = try ArmorSink(sink)
    // In pieces whose borders lie anywhere.
    var rest = bytes[...]
    while !rest.isEmpty {
        let piece = Array(rest.prefix(1 + rest.count % 97))
        try armor.write(piece)
        rest = rest.dropFirst(piece.count)
    }
    try armor.finish()
    return sink.bytes
}

/// Bytes that differ from place to place.
func sample(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) } }

let passphrase = Passphrase(SecretBytes(Array("correct horse".utf8)), workFactor: 4)
