/// Why a store cannot be opened, read or written.
public struct StoreFailure: Error, Sendable, CustomStringConvertible {
    public enum Kind: Sendable {
        /// There is no such file.
        case missing
        /// The file or its folder cannot be opened or made.
        case cannotOpen
        /// The file is something else.
        case notAStore
        /// A Shunt with other tables has written it.
        case otherVersion
        case diskFull
        case inputOutput
        case readOnly
        /// Another process keeps writing to it.
        case busy
        case damaged
        /// It can be read with an identity only, and none that was given opens it.
        case sealed
        /// The server cannot be reached, or was lost.
        case away
        case other
    }

    public let kind: Kind
    public let path: String
    /// What happened, and the next step.
    public let message: String

    public init(_ kind: Kind, path: String, _ message: String) {
        self.kind = kind
        self.path = path
        self.message = message
    }

    public var description: String { "\(path): \(message)" }

    /// Whether trying again later may help, without a change of the data.
    var mayPass: Bool {
        switch kind {
        case .other, .otherVersion, .sealed: false
        default: true
        }
    }
}
