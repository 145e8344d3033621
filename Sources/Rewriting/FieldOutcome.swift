import Bytes

/// What became of a field's value.
enum FieldOutcome {
    /// It was appended, changed or not.
    case written
    /// Nothing is left of it, so that the field is to be left out.
    case emptied
    /// It does not fit; what was appended of it is the caller's to take back.
    case noRoom
}

/// Copies a value in pieces, so that addresses within it can be put in another way.
struct ValueCopy {
    /// Up to where the value has been dealt with.
    var position: Int
    let end: Int

    init(_ value: Range<Int>) {
        position = value.lowerBound
        end = value.upperBound
    }

    /// Appends what lies in front of `range`, and `range` as the client is to see it.
    mutating func append(
        _ form: AddressMap.Form, _ range: Range<Int>, of bytes: Span<UInt8>, map: AddressMap,
        authority: Span<UInt8>, client: ClientName, to out: inout Buffer
    ) -> Bool {
        guard upTo(range.lowerBound, of: bytes, to: &out) else { return false }
        switch map.appendForClient(form, range, of: bytes, authority: authority, client: client, to: &out) {
        case .appended: position = range.upperBound
        case .foreign: break
        case .noRoom: return false
        }
        return true
    }

    /// Appends what lies in front of `place`.
    @inline(__always)
    mutating func upTo(_ place: Int, of bytes: Span<UInt8>, to out: inout Buffer) -> Bool {
        guard out.appendWhole(bytes.extracting(position..<place)) else { return false }
        position = place
        return true
    }

    /// Appends what is left.
    @inline(__always)
    mutating func rest(of bytes: Span<UInt8>, to out: inout Buffer) -> FieldOutcome {
        upTo(end, of: bytes, to: &out) ? .written : .noRoom
    }
}
