import Exchanges
import Filter
import Inspection
import Platform
import Profiles
import Reactor
import Recordings
import Store
import Synchronization

extension Command {
    static let record = Command(
        name: "record",
        summary: "Write exchanges into a recording, from which a route can respond later.",
        usage: "record NAME [FILTER…] [options]",
        details: [
            "Writes each exchange that ends from now on into Recordings/NAME.har beside the profiles, until Ctrl-C. A "
                + "Shunt has to run and record its traffic. Secrets are replaced as in the store. The file can be used "
                + "at any moment, also if this command is killed.",
            "A FILTER is mitmproxy's: `~d HOST`, `~c STATUS`, `~m METHOD`, `~u URL`, and `!`, `&`, `|`; `shunt logs --help` "
                + "describes filters.",
        ],
        options: [
            .flag("append", "Add to an existing recording."),
            .flag("all", "Also the exchanges that were recorded before."), .running, .store, .profiles,
        ],
        examples: [
            ("All that goes to one host", "shunt record checkout '~d api.shop.test'"),
            ("Also earlier exchanges", "shunt record checkout --all '~d api.shop.test'"),
        ],
        signals: [SIGINT, SIGTERM],
        run: RecordCommand.run)
}

/// What `shunt record` does.
enum RecordCommand {
    private static let interval = Duration.milliseconds(100)
    /// How long the store may take to write the last exchanges, in looks.
    private static let lastLooks = 5

    static func run(_ arguments: Arguments) async throws -> CInt {
        let name = arguments.operands[0]
        try check(name)
        let filter = try StoredTraffic.filter(Array(arguments.operands.dropFirst()))
        let project = try RunningShunt.project(arguments)
        let path = path(name, project)
        let store = try StoredTraffic.path(arguments)
        _ = try StoredTraffic.open(store)
        let signals = try ServeCommand.startSignals([SIGINT, SIGTERM])
        let isEnding = Flag()
        Task { for await _ in signals { isEnding.set() } }
        let writer = try RecordingWriter(path, adds: arguments.has("append"), version: Tool.version)
        let following = try RecordingFollower(store, filter, after: arguments.has("all") ? 0 : nil, writer)
        Terminal.error("recording into \(Path.short(path)) until Ctrl-C\n")
        try await follow(following, isEnding)
        Terminal.error("\(writer.countText) in \(Path.short(path))\n")
        return 0
    }

    static func check(_ name: String) throws {
        if RecordingSettings.isName(name) { return }
        throw UsageError(
            "“\(name)” is no name of a recording", advice: "Use letters, digits, `-`, `_` and `.`: checkout.")
    }

    static func path(_ name: String, _ project: Project) -> String { "\(project.root)/Recordings/\(name).har" }

    private static func follow(_ writing: RecordingFollower, _ isEnding: Flag) async throws(RecordingWriteFailure) {
        var looks = lastLooks
        while looks > 0 {
            if isEnding.isSet { looks -= 1 }
            let wasAway = writing.away != nil
            try writing.look(isLast: looks == 0)
            if !wasAway, let reason = writing.away {
                Terminal.error("\(reason); exchanges until then are recorded when the server is back\n")
            }
            try? await Task.sleep(for: interval)
        }
    }
}

/// Writes what is new in a store into a recording.
final class RecordingFollower {
    private let follower: TrafficFollower
    private let writer: RecordingWriter
    private let takes: (Exchange) -> Bool
    private var reader: TrafficReader
    private var nextTry: Instant = 0
    /// Why the server could not be asked last; nil if it could.
    private(set) var away: StoreFailure?
    /// Before a server that was away is asked again.
    private static let pause: UInt64 = 1_000_000_000

    /// - Parameters:
    ///   - after: the exchange behind which it begins; nil for those that come from now on.
    ///   - takes: false for exchanges that are left out, beside those that the filter leaves out.
    init(
        _ store: String, _ filter: TrafficFilter, after: Int64?, _ writer: RecordingWriter,
        takes: @escaping (Exchange) -> Bool = { _ in true }
    ) throws(RecordingWriteFailure) {
        (self.writer, self.takes) = (writer, takes)
        do throws(StoreFailure) {
            reader = try TrafficReader(store)
            try reader.keepLittle()
            follower = try TrafficFollower(store, filter, after: after)
        } catch {
            throw .store(error)
        }
        follower.whenMoved = { [weak self] in self?.reader = $0 }
    }

    /// Writes what has ended since the last call.
    ///
    /// - Parameter isLast: a server that is away is a failure, and not only a reason to look again later.
    func look(isLast: Bool = false) throws(RecordingWriteFailure) {
        guard isLast || Instant.now() >= nextTry else { return }
        var failure: RecordingWriteFailure?
        do throws(StoreFailure) {
            try follower.lookAtNumbers { ids in
                do throws(RecordingWriteFailure) { try write(ids) } catch {
                    failure = error
                    return writer.last.map { last in ids.prefix { $0 <= last }.count } ?? 0
                }
                return ids.count
            }
        } catch {
            failure = .store(error)
        }
        guard let failure else { return away = nil }
        guard !isLast, case .store(let reason) = failure, reason.kind == .away else { throw failure }
        (away, nextTry) = (reason, .now().after(Self.pause))
    }

    private func write(_ ids: [Int64]) throws(RecordingWriteFailure) {
        var ended: [Int64] = []
        defer {
            let last = writer.last ?? 0
            for id in ended where id <= last { follower.forget(id) }
        }
        try writer.add(ids, from: reader) { summary in
            // It comes again when it has ended.
            guard summary.isEnded else { return false }
            ended.append(summary.id)
            return takes(summary.exchange)
        }
    }
}

extension RecordingWriter {
    var countText: String { "\(Words.count(count, "exchange")) recorded" }
}

/// Says that a signal has come.
private final class Flag: Sendable {
    private let state = Atomic<Bool>(false)
    var isSet: Bool { state.load(ordering: .relaxed) }
    func set() { state.store(true, ordering: .relaxed) }
}

extension CommandFailure {
    static func recording(_ failure: RecordingWriteFailure) -> CommandFailure {
        switch failure {
        case .isThere(let path):
            CommandFailure(
                "there is a recording \(Path.short(path)) already",
                advice: "Add to it with --append, or remove the file, or choose another name.")
        case .file(let failure): CommandFailure("\(failure)")
        case .unreadable(let failure):
            CommandFailure("the recording \(failure.text)", advice: "Remove the file, or choose another name.")
        case .store(let failure): .reading(failure)
        }
    }
}
