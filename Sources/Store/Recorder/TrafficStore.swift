import Dispatch
public import Exchanges
import Reactor
import Synchronization

/// Recorded traffic on disk: an SQLite database that one thread writes and any process may read.
///
/// Several processes may write to one file: each takes part in it as the only one would.
public final class TrafficStore: Sendable {
    private let queue: PieceQueue
    private let hasEnded = DispatchSemaphore(value: 0)
    private let chains: KnownChains
    private let finishing: Int
    public let path: String
    /// Bytes that are kept of each body; more need not be offered.
    public let bodyLimit: Int
    /// The key that secrets are replaced under, 32 bytes.
    package let key: [UInt8]

    /// Opens the store, and makes it if it is missing.
    ///
    /// Files are made with permissions 0600, the folder, if it is missing, with 0700. Exchanges that cannot end any
    /// more, since the process that recorded them has died, are marked as broken off.
    public static func open(_ path: String, _ settings: StoreSettings = StoreSettings()) throws(StoreFailure)
        -> TrafficStore
    {
        let queue = PieceQueue(limit: settings.queueLimit, whenFull: settings.whenFull)
        let chains = KnownChains()
        let recorder = try Recorder(path: path, settings: settings, queue: queue, chains: chains)
        let key = recorder.key
        return try TrafficStore(path, settings, queue, chains, key, recorder)
    }

    private init(
        _ path: String, _ settings: StoreSettings, _ queue: PieceQueue, _ chains: KnownChains, _ key: [UInt8],
        _ recorder: sending Recorder
    ) throws(StoreFailure) {
        (self.path, self.key) = (path, key)
        (self.queue, self.chains) = (queue, chains)
        finishing = settings.finishing
        bodyLimit = settings.bodyLimit
        let isSealed = settings.seal != nil
        // Handed over to the one thread that uses it from here on, and let go of there.
        let handover = Handover(recorder)
        let hasEnded = hasEnded
        do throws(SystemError) {
            try Loop.startThread(name: "recorder") {
                handover.take()?.work()
                if isSealed { SealedStores.setWindow(path, nil) }
                queue.close()
                hasEnded.signal()
            }
        } catch {
            throw StoreFailure(.other, path: path, "no thread for the recorder: \(error.reason)")
        }
    }

    deinit { queue.end() }

    /// Hands a piece over; never waits for the disk.
    ///
    /// - Returns: false if the piece was not taken, for the queue is full: offer it again when ``whenRoom(_:)`` calls.
    ///   That happens with ``StoreSettings/WhenFull/wait`` only.
    public func offer(_ piece: borrowing RecordedPiece) -> Bool { queue.offer(piece) }

    /// The same with a piece that belongs to an object, of which there need be no copy; it stays as it is.
    public func offer(inPlace piece: inout RecordedPiece) -> Bool { queue.offer(piece) }

    /// Tells of a chain before exchanges that refer to it are handed over; once per connection is enough.
    public func know(_ chain: CertificateChain) { chains.add(chain) }

    /// Calls `body` once, when the queue has room: at once, or on the recorder's thread.
    public func whenRoom(_ body: @escaping @Sendable () -> Void) { queue.whenRoom(body) }

    /// Waits until readers see all that was handed over before; blocks its thread.
    ///
    /// - Returns: false if that was not possible in so many milliseconds, or the disk refuses it.
    @discardableResult
    public func write(within milliseconds: Int) -> Bool {
        let errand = Errand()
        guard !statistics.isInTrouble, queue.ask(errand) else { return false }
        return errand.wait(until: .now() + .milliseconds(milliseconds))
    }

    /// The number of the pieces of an exchange that runs, which a reader sees under `row`; nil where none does.
    ///
    /// Blocks its thread, as ``write(within:)``.
    package func piece(of row: Int64, within milliseconds: Int) -> UInt64? {
        let errand = Errand(row: row)
        guard queue.ask(errand), errand.wait(until: .now() + .milliseconds(milliseconds)) else { return nil }
        return errand.piece
    }

    /// Takes nothing any more, writes what waits, and closes the file; waits for that as long as the settings say.
    ///
    /// Exchanges that run stay as they are, and are marked as broken off when the store is opened the next time.
    public func finish() {
        queue.end()
        if hasEnded.wait(timeout: .now() + .milliseconds(finishing)) == .success { hasEnded.signal() }
    }

    /// What was recorded and what was not, and what waits.
    public var statistics: StoreStatistics { queue.statistics }
}

/// Something that one thread gives and another takes.
private final class Handover: Sendable {
    private let body: Mutex<Recorder?>

    init(_ recorder: sending Recorder) { body = Mutex(recorder) }

    func take() -> sending Recorder? {
        body.withLock { body in
            defer { body = nil }
            return body
        }
    }
}
