extension Buffer {
    /// Appends as many bytes as fit and returns how many did.
    @discardableResult
    public mutating func append(_ source: UnsafeRawBufferPointer) -> Int {
        let n = min(source.count, capacity - end)
        if n > 0, let base, let from = source.baseAddress {
            (base + end).copyMemory(from: from, byteCount: n)
            end += n
        }
        return n
    }

    /// Appends all of `source`, or nothing and false where it does not fit.
    @inlinable
    @inline(__always)
    public mutating func appendWhole(_ source: Span<UInt8>) -> Bool {
        source.withUnsafeBytes { appendWhole($0) }
    }

    /// Appends all of `source`, or nothing and false where it does not fit.
    ///
    /// What is known when it is compiled is stored without a call.
    @inlinable
    @inline(__always)
    public mutating func appendWhole(_ source: StaticString) -> Bool {
        let count = source.utf8CodeUnitCount
        guard count <= capacity &- end else { return false }
        // Without memory there is no room, so that nothing was asked for.
        guard let base else { return true }
        (base + end).copyMemory(from: source.utf8Start, byteCount: count)
        end &+= count
        return true
    }

    /// Appends all of `source`, or nothing and false where it does not fit.
    public mutating func appendWhole(_ source: [UInt8]) -> Bool {
        // Not through Array.span, which macOS has from version 26 on.
        source.withUnsafeBytes { appendWhole($0) }
    }

    @inlinable
    @inline(__always)
    mutating func appendWhole(_ source: UnsafeRawBufferPointer) -> Bool {
        guard source.count <= capacity &- end else { return false }
        guard let base, let from = source.baseAddress else { return true }
        Self.copy(from, to: base + end, source.count)
        end &+= source.count
        return true
    }

    /// Copies what heads are put together from, which is mostly short: as two halves that may overlap.
    @usableFromInline
    static func copy(_ from: UnsafeRawPointer, to: UnsafeMutableRawPointer, _ count: Int) {
        if count > 32 || count < 4 {
            to.copyMemory(from: from, byteCount: count)
        } else if count >= 16 {
            copyHalves(from, to, count, SIMD2<UInt64>.self)
        } else if count >= 8 {
            copyHalves(from, to, count, UInt64.self)
        } else {
            copyHalves(from, to, count, UInt32.self)
        }
    }

    @inline(__always)
    private static func copyHalves<Word: BitwiseCopyable>(
        _ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, _ count: Int, _: Word.Type
    ) {
        let last = count &- MemoryLayout<Word>.size
        let (front, back) = (from.loadUnaligned(as: Word.self), from.loadUnaligned(fromByteOffset: last, as: Word.self))
        to.storeBytes(of: front, as: Word.self)
        to.storeBytes(of: back, toByteOffset: last, as: Word.self)
    }
}
