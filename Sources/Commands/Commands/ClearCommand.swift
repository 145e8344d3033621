import Inspection
import JSON
import Platform
import Store

extension Command {
    static let clear = Command(
        name: "clear",
        summary: "Remove recorded exchanges, all of them or those that a filter finds, and free the space.",
        usage: "clear [FILTER…] [options]",
        details: [
            "A running Shunt continues to record; exchanges in progress stay. On a terminal the command asks first. "
                + "`shunt logs --help` describes filters."
        ],
        options: [.flag("yes", short: "y", "Do not ask."), .running, .store, .profiles, .quiet, .json],
        examples: [
            ("Everything", "shunt clear"),
            ("Exchanges older than a day, in a script", "shunt clear --yes '!~since 24h'"),
        ],
        run: ClearCommand.run)
}

/// What `shunt clear` does.
enum ClearCommand {
    static func run(_ arguments: Arguments) async throws -> CInt {
        let filter = try StoredTraffic.filter(arguments.operands)
        let path = try StoredTraffic.path(arguments)
        let isInteractive = Terminal.isTerminal(0) && Terminal.isTerminal(2)
        guard arguments.has("yes") || isInteractive else {
            throw UsageError(
                "nothing was removed: the question needs a terminal, and standard input or standard error is none",
                advice: "Add --yes to remove without a question: shunt clear --yes.")
        }
        guard arguments.operands.isEmpty || !SealedStores.isSealed(path) else {
            throw CommandFailure(
                "\(Path.short(path)): of a sealed store no part can be removed, since its segments are never changed",
                advice: "`shunt clear` without a filter removes all of it.")
        }
        var counted: Int?
        if !arguments.has("yes") {
            let count: Int
            if SealedStores.isSealed(path) {
                count = SealedStores.count(path)
            } else {
                let search = TrafficSearch(try StoredTraffic.open(path), filter)
                count = try search.endedCount()
            }
            counted = count
            guard count == 0 || isConfirmed(count, path) else {
                Terminal.error("Nothing was removed.\n")
                return 1
            }
        }
        StoredTraffic.settle(path)
        let removed: Int64
        var progress = Progress(.things("exchanges removed")) { counted.map(Int64.init) }
        defer { progress.end() }
        do throws(StoreFailure) {
            removed =
                arguments.operands.isEmpty
                ? try TrafficEraser.removeAll(path) : try TrafficEraser(path).remove(filter) { progress.show($0) }
        } catch {
            guard error.kind == .diskFull else { throw CommandFailure.reading(error) }
            throw CommandFailure(
                "\(Path.short(path)): the disk is full, and removing a part needs free space",
                advice: "`shunt clear` without a filter needs none.")
        }
        progress.end()
        let obstacle = try awaitReaders(path)
        let size = SealedStores.isSealed(path) ? 0 : try StoredTraffic.open(path).fileSize()
        let result = CommandResult(
            "\(Words.count(removed, "exchange")) removed; the store takes up "
                + "\(LogQuantity.size(UInt64(clamping: size))).\n"
        ) {
            $0.members(["removed": removed, "store_bytes": size, "erased": obstacle == nil])
        }
        let status = result.show(arguments)
        guard let obstacle, !obstacle.isContinued else { return status }
        throw CommandFailure(
            "the bytes of what was removed are still in \(Path.short(obstacle.file))",
            advice: "End what reads the store, then clear it again.")
    }

    /// Waits for those that read the store, in whose log the removed bytes stand until then; returns what remains.
    private static func awaitReaders(_ path: String) throws -> ErasingObstacle? {
        var isTold = false
        let end = ContinuousClock.now + patience
        while true {
            let found = try TrafficEraser.obstacle(path, within: 1000)
            guard let found else { return nil }
            if !isTold {
                let names = found.readers.isEmpty ? "Another program" : found.readers.joined(separator: ", ")
                Terminal.error(
                    "\(names) \(found.readers.count > 1 ? "are" : "is") reading the store; until then the removed bytes "
                        + "stay in \(Path.short(found.file))."
                        + (found.isContinued ? " The running Shunt erases them as soon as that is possible.\n" : "\n"))
                isTold = true
            }
            guard !found.isContinued, .now < end else { return found }
        }
    }

    /// How long readers are waited for where no Shunt goes on with it.
    private static let patience = Duration.seconds(30)

    private static func isConfirmed(_ count: Int, _ path: String) -> Bool {
        Terminal.isConfirmed("Remove \(Words.count(count, "exchange")) from \(Path.short(path))?")
    }
}
