public import Store

/// Why an export cannot be made, or not to its end.
public enum ExportFailure: Error, Sendable {
    case store(StoreFailure)
    /// There is no exchange of that number, or not any more.
    case noSuchExchange(Int64)
    /// The output could not be written.
    case output
}

/// The content of an export.
public struct ExportSummary: Sendable, Equatable {
    public var exchanges = 0
    /// Exchanges with secrets that are replaced.
    public var redacted = 0
    /// Exchanges with credentials in clear text, as far as heads show them.
    public var inClear = 0

    public init() {}

    /// Whether the export may be shared, in words.
    public var secretsText: String {
        if inClear > 0 {
            return "Credentials of \(inClear) of \(exchanges) exchanges stand here in clear text; do not share it."
        }
        return redacted > 0
            ? "Secrets are replaced by <redacted:name:digest>; within one store, equal digests stand for equal values."
            : "No credentials were seen in any head."
    }
}
