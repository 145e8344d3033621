extension Span where Element == UInt8 {
    /// Whether the bytes of a range are these.
    @inlinable
    @inline(__always)
    public func equals(_ range: Range<Int>, _ other: UnsafeRawBufferPointer) -> Bool {
        guard range.count == other.count else { return false }
        return extracting(range).withUnsafeBytes { own in
            guard let own = own.baseAddress, let start = other.baseAddress else { return true }
            return memcmp(own, start, other.count) == 0
        }
    }

    /// Whether the bytes of a range stand at another place, too; there must be as many.
    @inlinable
    @inline(__always)
    public func isSame(_ range: Range<Int>, _ start: Int) -> Bool {
        withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return true }
            return memcmp(base + range.lowerBound, base + start, range.count) == 0
        }
    }
}
