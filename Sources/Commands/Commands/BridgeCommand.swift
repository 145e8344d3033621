import Exchanges
import Filter
import Inspection
import JSON
import Platform
import Store

extension Command {
    static let bridge = Command(
        name: "bridge",
        summary: "Make the contract of a bridge from recorded calls of a real app.",
        usage: "bridge from [ID...|FILTER] [options]",
        details: [
            "A bridge takes the place of a hybrid app's native code for its web pages; its contract is a file with the "
                + "replies. With \"record\": true in a contract the calls of pages reach the app's own native code and "
                + "are recorded, see docs/bridge.md. `from` writes a contract with the newest recorded reply to each "
                + "message. Without numbers or a filter it uses all recorded calls.",
            "Secrets in it stay replaced: fill in those that the pages need.",
        ],
        options: [
            .value("output", short: "o", "FILE", default: "standard output", "The new file for the contract."),
            .running, .store, .profiles,
        ],
        actions: [Action("from", 0...999)],
        examples: [
            ("What the app replied in the last ten minutes", "shunt bridge from '~since 10m' -o Profiles/bridge.json")
        ], run: BridgeCommand.run)
}

/// What `shunt bridge` does.
enum BridgeCommand {
    /// Exchanges that one call reads.
    private static let limit = 10_000

    static func run(_ arguments: Arguments) async throws -> CInt {
        let output = arguments.text("output").flatMap { $0 == "-" ? nil : $0 }
        if let output, Files.exists(output) {
            throw CommandFailure(
                "\(output) exists already", advice: "Give another name, and take over what is new from there.")
        }
        let reader = try StoredTraffic.open(try StoredTraffic.path(arguments), arguments)
        var bridge = RecordedBridge()
        for record in try records(Array(arguments.operands.dropFirst()), reader) {
            do throws(RecordedBridge.Obstacle) { try bridge.add(reader, record) } catch {
                Terminal.error("left out  #\(record.summary.id) \(record.summary.exchange.url): \(error.reason)\n")
            }
        }
        guard bridge.callCount > 0 else {
            throw CommandFailure(
                "no call to an app's bridge was recorded", advice: "`shunt logs '~bridge'` lists all calls.")
        }
        let contract = (try? JSONFormatter.format(bridge.contract)) ?? bridge.contract
        if let output {
            try Files.write(contract, to: output, mode: 0o644, replaces: false)
            Terminal.out("wrote  \(Words.count(bridge.callCount, "call")) to \(output)\n")
        } else {
            Terminal.out(String(decoding: contract, as: UTF8.self))
        }
        if !bridge.withoutReply.isEmpty {
            Terminal.error(
                "no reply was seen from \(bridge.withoutReply.joined(separator: ", ")): if the app replies later by calling a "
                    + "function of the page, add that as \"events\" to their cases.\n")
        }
        if bridge.secretCount > 0 {
            let what = bridge.secretCount == 1 ? "1 secret was" : "\(bridge.secretCount) secrets were"
            Terminal.error("\(what) replaced: fill in what the pages need, and commit none.\n")
        }
        return 0
    }

    /// The newest first.
    private static func records(_ words: [String], _ reader: TrafficReader) throws -> [TrafficRecord] {
        let numbers = words.compactMap(StoredTraffic.number)
        let filter =
            numbers.count == words.count
            ? numbers.map { "~id \($0)" }.joined(separator: " | ") : words.joined(separator: " ")
        let search = TrafficSearch(
            reader, try StoredTraffic.filter([filter.isEmpty ? "~bridge" : "~bridge (\(filter))"]))
        var records: [TrafficRecord] = []
        for summary in try search.page(.newestFirst(before: nil), limit: limit) {
            if let record = try reader.record(summary.id) { records.append(record) }
        }
        return records
    }
}
