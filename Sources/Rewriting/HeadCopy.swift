import Bytes

/// Copies the lines of a head with changes in between: the lines between two of them are copied at once.
///
/// Places lie within the head's bytes and are passed in their order. A function returns false if its bytes do not fit;
/// the caller removes a part that was appended.
struct HeadCopy: ~Escapable {
    let bytes: Span<UInt8>
    /// The request's, as the client sent it.
    let authority: Span<UInt8>
    let client: ClientName
    /// Up to where the bytes have been dealt with.
    private(set) var position: Int
    /// A field was changed or dropped.
    var isChanged = false
    /// The result of ``hasPlainAuthority``.
    private var isPlain: Bool?

    @_lifetime(copy bytes, copy authority)
    @inline(__always)
    init(_ bytes: Span<UInt8>, from start: Int, authority: Span<UInt8>, client: ClientName) {
        self.bytes = bytes
        self.authority = authority
        self.client = client
        position = start
    }

    /// The authority is a host and maybe a port, and unambiguous.
    var hasPlainAuthority: Bool {
        mutating get {
            if let isPlain { return isPlain }
            let found = AddressReference.isAuthority(authority)
            isPlain = found
            return found
        }
    }

    /// Appends what lies in front of `place`.
    @inline(__always)
    mutating func upTo(_ place: Int, to out: inout Buffer) -> Bool {
        guard place > position else { return true }
        guard out.appendWhole(bytes.extracting(position..<place)) else { return false }
        position = place
        return true
    }

    /// Appends what lies in front of `range`, and nothing for the range.
    @inline(__always)
    mutating func leaveOut(_ range: Range<Int>, to out: inout Buffer) -> Bool {
        guard upTo(range.lowerBound, to: &out) else { return false }
        position = range.upperBound
        isChanged = true
        return true
    }

    /// Appends what lies in front of `range`, and the other text for the range, unless it is the same.
    @inline(__always)
    mutating func replace(
        _ range: Range<Int>, by text: Span<UInt8>, _ other: Range<Int>, to out: inout Buffer
    ) -> Bool {
        if AddressText.isEqual(bytes, range, text, other) { return true }
        return leaveOut(range, to: &out) && out.appendWhole(text.extracting(other))
    }

    /// What was appended since `start` stands for the bytes up to `end`.
    mutating func skip(to end: Int, since start: Int, in out: borrowing Buffer) {
        if !AddressText.isEqual(bytes, position..<end, out.bytes, start..<out.count) { isChanged = true }
        position = end
    }

    /// A state to come back to.
    struct Mark {
        fileprivate let position: Int
        fileprivate let isChanged: Bool
        fileprivate let count: Int
    }

    func mark(_ out: borrowing Buffer) -> Mark { Mark(position: position, isChanged: isChanged, count: out.count) }

    /// Restores that state.
    mutating func restore(_ mark: Mark, in out: inout Buffer) {
        position = mark.position
        isChanged = mark.isChanged
        out.truncate(to: mark.count)
    }
}

/// The result for a part of a field.
enum FieldOutcome {
    /// It goes on, changed or not.
    case written
    /// It is empty now and has to be left out.
    case emptied
    case noRoom
}
