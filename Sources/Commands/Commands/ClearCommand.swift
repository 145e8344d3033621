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
        operands: 0...Int.max,
        examples: [
            ("Everything", "shunt clear"),
            ("Exchanges older than a day, in a script", "shunt clear --yes '!~since 24h'"),
        ],
        run: ClearCommand.run)
}

/// What `shunt clear` does.
enum ClearCommand {
    @Sendable
    static func run(_ arguments: Arguments) async throws(CommandFailure) -> CInt {
        let filter = try StoredTraffic.filter(arguments.operands)
        let path = try StoredTraffic.path(arguments)
        let isInteractive = Terminal.isTerminal(0) && Terminal.isTerminal(2)
        guard arguments.has("yes") || isInteractive else {
            throw .usage(
                UsageError(
                    "nothing was removed: the question needs a terminal, and standard input or standard error is none",
                    advice: "Add --yes to remove without a question: shunt clear --yes."))
        }
        var counted: Int?
        if !arguments.has("yes") {
            let count: Int
            if SealedStores.isSealed(path) {
                count = SealedStores.count(path)
            } else {
                let search = TrafficSearch(try StoredTraffic.open(path), filter)
                do throws(StoreFailure) { count = try search.endedCount() } catch { throw .reading(error) }
            }
            counted = count
            guard count == 0 || isConfirmed(count, path) else {
                Terminal.error("Nothing was removed.\n")
                return 1
            }
        }
        let removed: Int64
        var progress = Progress(.things("exchanges removed")) { counted.map(Int64.init) }
        defer { progress.end() }
        do throws(StoreFailure) {
            removed =
                arguments.operands.isEmpty
                ? try TrafficEraser.removeAll(path) : try TrafficEraser(path).remove(filter) { progress.show($0) }
        } catch {
            guard error.kind == .diskFull else { throw .reading(error) }
            throw .failed(
                "\(Path.short(path)): the disk is full, and removing a part needs free space",
                advice: "`shunt clear` without a filter needs none.")
        }
        progress.end()
        let size = SealedStores.isSealed(path) ? 0 : try StoredTraffic.open(path).fileSize()
        if arguments.has("json") {
            Terminal.out { writer in
                writer.object { object in
                    object.member("removed", removed)
                    object.member("store_bytes", size)
                }
            }
        } else {
            Terminal.tell(
                "\(exchanges(Int(removed))) removed; the store takes up \(LogQuantity.size(UInt64(clamping: size))).\n",
                arguments)
        }
        return 0
    }

    private static func exchanges(_ count: Int) -> String { "\(count) exchange\(count == 1 ? "" : "s")" }

    private static func isConfirmed(_ count: Int, _ path: String) -> Bool {
        Terminal.error("Remove \(exchanges(count)) from \(Path.short(path))? [y/N] ")
        let response = readLine()?.lowercased() ?? ""
        return response == "y" || response == "yes"
    }
}
