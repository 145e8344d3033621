/// Why a store cannot be opened, read or written.
public struct StoreFailure: Error, Sendable, CustomStringConvertible {
    public enum Kind: Sendable {
        /// There is no such file.
        case missing
        /// The file or its folder cannot be opened or made.
        case cannotOpen
        /// The file is something else.
        case notAStore
        /// An earlier Shunt with other tables has written it; a recorder sets it aside.
        case earlierVersion
        /// A later Shunt with other tables has written it.
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
        (self.kind, self.path, self.message) = (kind, path, message)
    }

    public var description: String { "\(path): \(message)" }

    /// Another version of Shunt has written it.
    ///
    /// - Parameter known: the version that this Shunt reads.
    static func version(_ version: Int64, of path: String, known: Int64) -> StoreFailure {
        let isEarlier = version < known
        return StoreFailure(
            isEarlier ? .earlierVersion : .otherVersion, path: path,
            "written by \(isEarlier ? "an earlier" : "a later") Shunt (a store of version \(version), and this one reads "
                + "\(known)); " + (isEarlier ? "`shunt serve` sets it aside" : "name another one")
                + ", or use that Shunt")
    }

    /// Whether trying again later may help, without a change of the data.
    var mayPass: Bool {
        switch kind {
        case .other, .earlierVersion, .otherVersion, .sealed: false
        default: true
        }
    }
}
