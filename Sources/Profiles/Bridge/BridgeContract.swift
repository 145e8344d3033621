import JSON

/// The native side of a hybrid app as its pages know it: what a file under `bridge` says.
public struct BridgeContract: Hashable, Sendable {
    /// As the profile spells it.
    public let name: String
    /// Absolute.
    public let file: String
    /// What pages can call, for people: `webkit.session`, `Bank.balance()`.
    public let handlers: [String]
    /// Calls reach the app's own bridge, and are only reported.
    public let records: Bool
    /// The same for the script that plays the native side, as compact JSON.
    public let json: [UInt8]
}

extension BridgeContract {
    /// In a line, for `shunt explain`.
    public var summary: String {
        let shown = handlers.prefix(8).joined(separator: ", ") + (handlers.count > 8 ? ", …" : "")
        return name + (records ? " records calls" : "") + (shown.isEmpty ? "" : " (\(shown))")
    }
}
