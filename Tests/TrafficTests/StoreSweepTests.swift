import Age
import Exchanges
import Filter
import Foundation
import Inspection
import JSON
import Store
import StoreWriter
import TestSupport
import Testing

/// Traffic at random reads the same by every reader from every kind of store.
///
/// `SHUNT_SWEEP=ROUNDS` runs more of it, and `SHUNT_SWEEP_FROM=SEED` begins elsewhere.
@Suite struct StoreSweepTests {
    enum Kind {
        case file, sealed, postgres
    }

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    private static let first = number("SHUNT_SWEEP_FROM") ?? 1
    private static let rounds = number("SHUNT_SWEEP") ?? 2

    /// A store of one kind that is written by this process or another one.
    private struct Place {
        let bench: StoreBench
        let identity: X25519Identity
        let path: String
        let kind: Kind

        init(_ kind: Kind) throws {
            self.kind = kind
            bench = try StoreKind.$current.withValue(kind == .postgres ? .postgres : .file) { try StoreBench() }
            identity = try X25519Identity.generate()
            path = kind == .sealed ? bench.folder.path + "/sealed" : bench.path
        }

        func record(_ plan: TrafficPlan) throws {
            var settings = StoreSettings()
            plan.set(&settings)
            settings.finishing = 60_000
            if kind == .sealed {
                var seal = SealSettings(recipients: [identity.recipient])
                seal.segment = plan.segment
                settings.seal = seal
            }
            let store = try TrafficStore.open(path, settings)
            plan.offer(to: store)
            store.finish()
        }

        /// In a process that is killed.
        func recordAndKill(_ plan: TrafficPlan, seed: UInt64) throws {
            try FileManager.default.createDirectory(
                atPath: bench.folder.path + "/.shunt", withIntermediateDirectories: true)
            let writer = ShuntBinary.built("StoreWriter")
            let seal = ["SEAL_TO": identity.recipient.text, "SEAL_SEGMENT": "\(plan.segment)"]
            let child = try ChildProcess(
                writer, ["sweep", path, "\(seed)"], environment: kind == .sealed ? seal : [:])
            let isWritten = eventually { child.output.contains("written") || !child.isRunning }
            #expect(isWritten && child.isRunning, "\(child.output) \(child.errors)")
            child.signal(SIGKILL)
            _ = try child.wait()
        }

        func reader() throws -> TrafficReader {
            if kind == .sealed { SealedStores.unlock(path, [identity]) }
            return try TrafficReader(path)
        }
    }

    @Test func `any mix of exchanges, in any batches, reads as it was offered`() throws {
        try checkTrips(of: [.file, .sealed])
    }

    @Test(.postgres) func `any mix of exchanges reads from PostgreSQL as from a file`() throws {
        try checkTrips(of: [.file, .postgres])
    }

    private func checkTrips(of kinds: [Kind]) throws {
        for seed in Self.first..<Self.first + Self.rounds {
            let plan = TrafficPlan(seed: seed)
            let expected = PlannedExchange.all(of: plan)
            var texts: (har: String, lines: [String])?
            for kind in kinds {
                let place = try Place(kind)
                try place.record(plan)
                let reader = try place.reader()
                let hint: Comment = "seed \(seed), \(kind)"
                try check(reader, expected, hint)
                let read = (har: try Exports.har(reader), lines: try jsonLines(reader, expected.count))
                if let texts {
                    // Without the texts, which have megabytes.
                    let areSame = texts.har == read.har && texts.lines == read.lines
                    #expect(areSame, hint)
                } else {
                    texts = read
                }
            }
        }
    }

    @Test func `and after SIGKILL it does, too`() async throws { try await checkKills(of: [.file, .sealed]) }

    @Test(.postgres) func `and so does what PostgreSQL had before SIGKILL`() async throws {
        try await checkKills(of: [.postgres])
    }

    private func checkKills(of kinds: [Kind]) async throws {
        try await blocking {
            for seed in Self.first..<Self.first + max(1, Self.rounds / 3) {
                let plan = TrafficPlan(seed: seed)
                let expected = PlannedExchange.all(of: plan)
                for kind in kinds {
                    let place = try Place(kind)
                    try place.recordAndKill(plan, seed: seed)
                    try check(try place.reader(), expected, "killed, seed \(seed), \(kind)")
                }
            }
        }
    }

    private func check(_ reader: TrafficReader, _ expected: [PlannedExchange], _ hint: Comment) throws {
        // From the last one, since a reader goes on in the block that it has.
        for (index, planned) in expected.enumerated().reversed() {
            let id = Int64(index + 1)
            let record = try #require(try reader.record(id), "\(hint), exchange \(id)")
            let place: Comment = "\(hint), exchange \(id)"
            var facts = planned.facts
            facts.id = id
            #expect("\(record.summary.exchange)" == "\(facts)", place)
            #expect(record.summary.isEnded == planned.isEnded, place)
            let heads = [
                record.clientRequest, record.originRequest, record.originResponse, record.clientResponse,
                record.requestTrailers, record.responseTrailers,
            ]
            #expect(heads == planned.heads, place)
            try check(reader, record, .request, .client, planned.request, place)
            try check(reader, record, .response, .client, planned.response, place)
            let origin = (planned.originRequest, planned.originResponse)
            #expect(record.hasChanged(.request) == (origin.0 != PlannedExchange.Body()), place)
            #expect(record.hasChanged(.response) == (origin.1 != PlannedExchange.Body()), place)
            if record.hasChanged(.request) { try check(reader, record, .request, .origin, origin.0, place) }
            if record.hasChanged(.response) { try check(reader, record, .response, .origin, origin.1, place) }
            #expect(record.messageCount == Int64(planned.messages.count), place)
            let messages = try reader.messages(of: id, limit: .max).map {
                PlannedExchange.Message(
                    facts: $0.facts, bytes: $0.bytes, isDropped: $0.isDropped, event: $0.event, eventID: $0.eventID)
            }
            let areSame = messages == planned.messages
            #expect(areSame, place)
        }
        try checkFilters(reader, expected, hint)
    }

    private func check(
        _ reader: TrafficReader, _ record: TrafficRecord, _ side: BodySide, _ end: BodyEnd,
        _ planned: PlannedExchange.Body, _ place: Comment
    ) throws {
        let body = record.body(side, end)
        var bytes: [UInt8] = []
        try reader.body(of: record, side, end) { piece in
            bytes += piece
            return true
        }
        let isSame = bytes == planned.bytes
        #expect(isSame, "\(place), \(side)")
        #expect(body.kept == Int64(planned.bytes.count), "\(place), \(side)")
        #expect(
            [body.isCut, body.isDecoded, body.isDropped, body.isUndecodable]
                == [planned.isCut, planned.isDecoded, planned.isDropped, false], "\(place), \(side)")
    }

    /// Each finds by the log, heads, bodies and messages what the plan says.
    private func checkFilters(_ reader: TrafficReader, _ expected: [PlannedExchange], _ hint: Comment) throws {
        func found(_ filter: String) throws -> [Int64] {
            try TrafficSearch(reader, try TrafficFilter(filter)).page(.oldestFirst(after: 0), limit: .max).map(\.id)
                .filter { $0 <= expected.count }
        }
        func ids(_ isWanted: (PlannedExchange) -> Bool) -> [Int64] {
            expected.indices.filter { isWanted(expected[$0]) }.map { Int64($0 + 1) }
        }
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
        #expect(try found("~c 404") == ids { $0.facts.status == 404 }, hint)
        #expect(try found("~d h3.test") == ids { $0.facts.url.hasPrefix("https://h3.test") }, hint)
        #expect(
            try found("~hq 'q[0-9]*7[.]'")
                == ids { planned in
                    planned.heads[0...1].contains { text($0 ?? []).contains(/q[0-9]*7\./) }
                }, hint)
        func has(_ bytes: [UInt8], _ mark: String) -> Bool { Data(bytes).range(of: Data(mark.utf8)) != nil }
        #expect(try found("~bq bq") == ids { has($0.request.bytes, "bq") }, hint)
        #expect(try found("~bq oq") == ids { has($0.originRequest.bytes, "oq") }, hint)
        #expect(try found("~bs os") == ids { has($0.originResponse.bytes, "os") }, hint)
        #expect(
            try found("~bs same & !~bs bs")
                == ids { planned in
                    let messages = planned.messages.filter { $0.facts.sender == .origin }.map { $0.bytes ?? [] }
                    return !has(planned.response.bytes, "bs")
                        && ([planned.response.bytes, planned.originResponse.bytes] + messages).contains {
                            has($0, "same")
                        }
                }, hint)
    }

    /// Of each exchange what the inspector gets.
    private func jsonLines(_ reader: TrafficReader, _ count: Int) throws -> [String] {
        try (1...Int64(count)).map { id in
            guard let record = try reader.record(id) else { return "" }
            var writer = JSONWriter()
            try writer.object { (object) throws(StoreFailure) in try reader.write(record, to: &object) }
            return writer.text.replacing(#""node":"sweep","#, with: "")
        }
    }
}
