import Bytes
import HTTP

/// Caches the last rewriting of a field that most responses of an origin repeat, such as policies.
///
/// They are long, and rewriting them takes longer than the rest of a head.
struct FieldCache {
    private enum Outcome { case none, same, changed, leftOut }

    /// Longer ones are not cached.
    private static let maxBytes = 8192

    private var outcome = Outcome.none
    /// Fields since the last hit.
    private var misses = 0
    private var client = ClientName(isSecure: false, hostLength: 0)
    private var authority = ContiguousArray<UInt8>()
    private var value = ContiguousArray<UInt8>()
    private var result = ContiguousArray<UInt8>()

    /// Repeats the cached rewriting of an equal field for a client of the same name; nil if the field differs.
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

    /// Caches the rewriting of a field.
    ///
    /// - Parameter start: where in `out` its value begins, if there is one and it was changed.
    mutating func remember(_ field: Field, _ copy: borrowing HeadCopy, in out: borrowing Buffer, from start: Int) {
        // Fields with a nonce never repeat, and are rarely cached.
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
