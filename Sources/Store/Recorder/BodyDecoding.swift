/// Decodes the content codings of one body, piece by piece.
public protocol BodyDecoding {
    /// Reads a part of `input` and writes a part of the decoded bytes into `room`.
    ///
    /// It is called again until it reads all of the input and leaves room.
    /// - Returns: the numbers of bytes read and written; nil if the bytes break the coding's rules.
    mutating func decode(
        _ input: ArraySlice<UInt8>, isLast: Bool, into room: inout [UInt8]
    ) -> (taken: Int, given: Int)?
}
