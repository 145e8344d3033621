extension [UInt8] {
    /// Whether two secrets are equal, in a time that depends on their lengths alone.
    public func isSameSecret(as other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        return zip(self, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
