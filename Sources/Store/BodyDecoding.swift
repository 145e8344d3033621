/// Undoes the content codings of one body, which comes in pieces.
public protocol BodyDecoding {
    /// Takes what it can of `input` and puts what fits into `room`.
    ///
    /// It is asked again until it takes all and leaves room.
    /// - Returns: how much was taken and given; nil if the bytes break the coding's rules.
    mutating func decode(
        _ input: ArraySlice<UInt8>, isLast: Bool, into room: inout [UInt8]
    ) -> (taken: Int, given: Int)?
}
