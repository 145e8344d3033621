extension ClientName {
    /// The environment's label, with its `--`.
    ///
    /// All of these stay within the authority, even if the lengths are wrong.
    @inline(__always)
    func label(_ authority: Span<UInt8>) -> Range<Int> {
        0..<min(max(labelLength, 0), host(authority).upperBound)
    }

    /// The host with its label, and with an IPv6 literal's brackets.
    @inline(__always)
    func host(_ authority: Span<UInt8>) -> Range<Int> { 0..<min(max(hostLength, 0), authority.count) }

    /// The host as routes know it.
    @inline(__always)
    func plainHost(_ authority: Span<UInt8>) -> Range<Int> {
        label(authority).upperBound..<host(authority).upperBound
    }

    /// `:port`, or nothing.
    @inline(__always)
    func port(_ authority: Span<UInt8>) -> Range<Int> { host(authority).upperBound..<authority.count }
}
