extension String {
    /// Text of bytes that came from the network; invalid UTF-8 is replaced.
    init(_ span: Span<UInt8>) { self = span.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }
}

extension [UInt8] {
    /// A copy of bytes whose memory may be reused.
    init(_ span: Span<UInt8>) { self = span.withUnsafeBufferPointer { Array($0) } }
}

extension Span where Element == UInt8 {
    func starts(with text: StaticString) -> Bool {
        guard count >= text.utf8CodeUnitCount else { return false }
        for index in 0..<text.utf8CodeUnitCount where self[index] != text.utf8Start[index] { return false }
        return true
    }
}
