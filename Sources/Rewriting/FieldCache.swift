import Bytes
import HTTP

/// What became last of a field that most responses of an origin repeat word by word, as they do with its policies.
///
/// They are long, and to find what they name takes longer than all else in a head.
struct FieldCache {
    private enum Outcome { case none, same, changed, leftOut }

    /// More is not remembered.
    private static let maxBytes = 8192

    private var outcome = Outcome.none
    /// Fields since one was equal to what was remembered.
    private var misses = 0
    private var client = ClientName(isSecure: false, hostLength: 0)
    private var authority = ContiguousArray<UInt8>()
    private var value = ContiguousArray<UInt8>()
    private var result = ContiguousArray<UInt8>()

    /// Does with a field what was done with one like it for a client of the same name; nil if that was another one.
    mutating func rewrite(_ field: Field, in copy: inout HeadCopy, to out: inout Buffer) -> Bool? {
        guard outcome != .none, client.isSecure == copy.client.isSecure,
            client.hostLength == copy.client.hostLength, client.labelLength == copy.client.labelLength,
            AddressText.isEqual(copy.bytes, field.value, value.span, 0..<value.count),
            AddressText.isEqual(copy.authority, 0..<copy.authority.count, authority.span, 0..<authority.count)
        else { return nil }
        misses = 0
        switch outcome {
        case .none, .same: return true
        case .changed: return copy.leaveOut(field.value, to: &out) && out.appendWhole(result.span)
        case .leftOut: return copy.leaveOut(field.line, to: &out)
        }
    }

    /// Remembers what became of a field.
    ///
    /// - Parameter start: where in `out` its value begins, if there is one and it was changed.
    mutating func remember(_ field: Field, _ copy: borrowing HeadCopy, in out: borrowing Buffer, from start: Int) {
        // What never comes twice, for the sake of a nonce, is hardly worth it.
        misses &+= 1
        guard misses < 4 || misses & 15 == 0 else { return }
        outcome = .none
        guard field.value.count <= Self.maxBytes, copy.authority.count <= Self.maxBytes else { return }
        if copy.isChanged, copy.position < field.line.upperBound {
            guard out.count >= start, out.count &- start <= Self.maxBytes else { return }
            Self.replace(&result, by: out.bytes.extracting(start..<out.count))
            outcome = .changed
        } else {
            outcome = copy.isChanged ? .leftOut : .same
        }
        client = copy.client
        if !AddressText.isEqual(copy.authority, 0..<copy.authority.count, authority.span, 0..<authority.count) {
            Self.replace(&authority, by: copy.authority)
        }
        Self.replace(&value, by: copy.bytes.extracting(field.value))
    }

    private static func replace(_ bytes: inout ContiguousArray<UInt8>, by other: Span<UInt8>) {
        bytes.removeAll(keepingCapacity: true)
        other.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }
}
