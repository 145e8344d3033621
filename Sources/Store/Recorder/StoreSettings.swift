public import Exchanges
import Platform
public import Redaction

/// The settings of a store: limits, and its behaviour on a slow disk.
public struct StoreSettings: Sendable {
    public enum WhenFull: Sendable {
        /// Bodies are dropped first, then whole exchanges; workers never wait.
        case dropBodies
        /// Workers are told to wait.
        ///
        /// While the disk refuses all writes, it is as with `dropBodies`, since that may never end.
        case wait
    }

    /// Bytes that may wait for the disk; heads and facts may take twice as much.
    public var queueLimit = 32 << 20
    public var whenFull = WhenFull.dropBodies
    /// Bytes that are kept of each body and of each message.
    public var bodyLimit = 1 << 20
    /// Bytes that the store may have; the oldest exchanges are removed first.
    public var sizeLimit: Int64 = 1 << 30
    /// Seconds that an exchange is kept for.
    public var ageLimit: Int64 = 7 * 24 * 3600
    /// How long pieces may wait for others to be written with, in milliseconds.
    public var gathering = 20
    /// How long ``TrafficStore/finish()`` waits for the disk, in milliseconds.
    public var finishing = 5000
    /// Makes the filter that replaces secrets, with the key of the store, 32 bytes; nil keeps them.
    public var filter: (@Sendable (_ key: [UInt8]) -> RecordingRedaction)?
    /// Makes a decoder for the value of Content-Encoding; nil if one of the codings is unknown.
    public var decoder: (@Sendable (_ contentEncoding: ArraySlice<UInt8>) -> (any BodyDecoding)?)?
    /// Called on the recorder's thread with exchanges that ended, once they are on disk, as they were written.
    public var committed: (@Sendable ([WrittenExchange]) -> Void)?
    /// Called on the recorder's thread when writing begins to fail, when it works again, and when it was too slow.
    public var trouble: (@Sendable (StoreTrouble) -> Void)?
    /// Called when the store of an earlier Shunt was set aside and a new one begins; nil leaves such a store alone, and
    /// fails.
    public var setAside: (@Sendable (SetAsideStore) -> Void)?

    /// How a store in PostgreSQL is written.
    public var postgres = PostgresSettings()

    /// Seals what is recorded, in a folder instead of a file.
    package var seal: SealSettings?

    /// Gives the time that exchanges age by, in microseconds since 1970.
    package var clock: @Sendable () -> Int64 = { wallClock() }

    public init() {}

    /// Replaces secrets before anything is written.
    public mutating func redact(_ rules: RedactionRules = RedactionRules()) {
        filter = { key in RecordingRedaction(key: key, rules: rules) }
    }
}

/// A problem of the store that users should be told.
public enum StoreTrouble: Sendable {
    /// Nothing can be written; it is tried again every second.
    case began(StoreFailure)
    /// Writing works again; the statistics count the losses.
    case ended(StoreStatistics)
    /// The file was deleted, and a new one was begun.
    case begunAnew
    /// The server of PostgreSQL is away; what passes is kept in a file.
    case spilling(StoreFailure, into: String)
    /// The server is back, and so many exchanges were brought in from the file.
    case broughtIn(exchanges: UInt64)
    /// The server is there, but does not take what was kept in a file; told once until it does.
    case notBroughtIn(StoreFailure, from: String)
    /// Old exchanges cannot be removed in PostgreSQL; told once until it works again.
    case nothingRemoved(StoreFailure)
    /// The disk was too slow, and exchanges or bodies were not kept; reported every ten seconds at most.
    case fellBehind(StoreStatistics)
    /// Exchanges were not compared with their contracts; reported every ten seconds at most.
    case contractsLeftOut(ContractCounts)
}

/// Counts of a store since it was opened.
public struct StoreStatistics: Sendable, Equatable {
    /// Exchanges that are on disk, ended.
    public var recorded: UInt64 = 0
    /// Exchanges that were not kept, or without their end.
    public var droppedExchanges: UInt64 = 0
    /// Pieces whose bodies were dropped.
    public var droppedBodies: UInt64 = 0
    public var droppedBytes: UInt64 = 0
    /// Exchanges of routes with a contract.
    public var contracts = ContractCounts()
    /// Exchanges that were removed for others.
    public var removed: UInt64 = 0
    /// Bytes that wait for the disk, about.
    public var waiting = 0
    /// How long the oldest of them has waited, in microseconds.
    public var lag: Int64 = 0
    /// The store's size at the last check, in bytes, without its free pages.
    public var size: Int64 = 0
    /// Writing fails at present.
    public var isInTrouble = false

    /// What ``StoreTrouble/fellBehind(_:)`` is about.
    var dropped: UInt64 { droppedExchanges &+ droppedBodies }
}
