import Foundation
import JSON
import Testing

@testable import Exchanges

/// The one table of an exchange's facts: what it names is kept, logged and archived.
@Suite
struct ExchangeTableTests {
    @Test("facts are in the order of their records, and fit into them")
    func order() {
        #expect(ExchangeTable.texts.map(\.text) == Array(ExchangeRecord.contextTexts))
        #expect(ExchangeTable.numbers.map(\.number.rawValue) == Array(0..<ExchangeRecord.Number.flags.rawValue))
        #expect(ExchangeTable.numbers.filter { $0.column == nil }.count <= 8)
        let flags = ExchangeTable.flags.map(\.flag.rawValue)
        #expect(flags.allSatisfy { $0 < 256 && $0.nonzeroBitCount == 1 } && Set(flags).count == flags.count)
        #expect(ExchangeTable.lists[ExchangeTable.traceIndex].get(Self.whole) == Self.whole.trace?.texts)
    }

    @Test("a record, packed facts and an archive give back every fact that they have")
    func roundTrip() throws {
        let whole = Self.whole
        var bytes: [UInt8] = []
        ExchangeRecord.write(whole, to: &bytes)
        let record = ExchangeRecord(bytes, 0..<bytes.count)
        #expect(Self.facts(record.exchange) == Self.facts(whole))

        var packed: [UInt8] = []
        let place = try #require(ExchangeFacts.append(record, to: &packed))
        var read = Self.blank
        read.origin = Exchange.OriginFacts(url: "")
        read.read(facts: Array(packed[place]))
        for fact in ExchangeTable.numbers where fact.column == nil {
            #expect(fact.get(read.figures) == fact.get(whole.figures), "\(fact.number)")
        }
        for fact in ExchangeTable.flags { #expect(fact.get(read.figures)) }
        for fact in ExchangeTable.lists { #expect(fact.get(read) == fact.get(whole)) }

        let archive = try JSONReader.read(Self.archived(whole), dialect: .strict)
        var restored = Self.blank
        restored.origin = Exchange.OriginFacts(url: "", isReused: true, isResumed: true)
        ExchangeTable.read(archived: archive, to: &restored)
        for fact in ExchangeTable.texts where fact.members.archive != nil {
            #expect(fact.get(restored) == fact.get(whole))
        }
        for fact in ExchangeTable.numbers where fact.members.archive != nil {
            #expect(fact.get(restored.figures) == fact.get(whole.figures), "\(fact.number)")
        }
        for fact in ExchangeTable.flags { #expect(fact.get(restored.figures)) }
        for fact in ExchangeTable.lists where fact.members.archive != nil {
            #expect(fact.get(restored) == fact.get(whole))
        }
    }

    @Test("a line of the log has every fact that has a name there, and null for those that it always has")
    func logged() throws {
        let (whole, line) = (Self.whole, try Self.line(Self.whole))
        for fact in ExchangeTable.texts {
            if let name = fact.members.log { #expect(line["\(name)"]?.string == fact.get(whole)) }
        }
        for fact in ExchangeTable.numbers {
            if let name = fact.members.log { #expect(line["\(name)"]?.number?.int64 == fact.get(whole.figures)) }
        }
        for fact in ExchangeTable.flags {
            if let name = fact.members.log { #expect(line["\(name)"]?.bool == true) }
        }
        for fact in ExchangeTable.lists {
            guard let name = fact.members.log else { continue }
            let texts = line["\(name)"]?.array?.flatMap { item in
                fact.parts.isEmpty
                    ? [item.string ?? "?"]
                    : fact.parts.map { part in
                        part.isNumber ? "\(item[part.name]?.number?.int64 ?? -1)" : item[part.name]?.string ?? "?"
                    }
            }
            #expect(texts == fact.get(whole))
        }
        #expect(line["trace_id"]?.string == whole.trace?.id.text)
        #expect(line["client"]?["protocol"]?.string == whole.client.version)
        #expect(line["client"]?["app"]?.string == whole.client.app)
        #expect(line["origin"]?["trust_decision"]?.string == whole.origin?.trustDecision)
        #expect(line["origin"]?["resumed"]?.bool == true && line["running"]?.bool == true)
        #expect(line["timings_us"]?["receive"]?.number?.int64 == whole.timings.receive.map { Int64($0) })
        #expect(line["bytes"]?["response"]?.number?.int64 == Int64(whole.bytes.response))
        #expect(line["id"]?.number?.int64 == 7)

        let none = try Self.line(Self.blank)
        for name in ["status", "profile", "chosen_by", "route", "origin", "error"] {
            #expect(none[name]?.isNull == true)
        }
        #expect(none["retries"]?.number?.int64 == 0 && none["timings_us"]?["dns"]?.isNull == true)
        #expect(none["rewritten"] == nil && none["unlocked"] == nil && none["session"] == nil)
    }

    @Test("members of other kinds in an archive count as missing")
    func foreign() throws {
        let archive = try JSONReader.read(
            Array(
                """
                {"_profile": 7, "_retries": "two", "_graphQLErrors": -4, "_unlocked": "yes", "_rewritten": {"a": 1},
                "_held": [{"phase": "request", "time_us": "long", "outcome": "x"}, 5, {"phase": "response"}],
                "_attempts": [{"origin": "http://a", "outcome": "refused"}, {"origin": 3}], "_contract": ["a", 5]}
                """.utf8), dialect: .strict)
        var exchange = Self.blank
        ExchangeTable.read(archived: archive, to: &exchange)
        #expect(exchange.profile == nil && exchange.retries == 0 && exchange.graphQLErrors == 0)
        #expect(!exchange.isUnlocked && exchange.rewritten.isEmpty && exchange.holds.isEmpty)
        #expect(exchange.attempts.map(\.origin) == ["http://a"] && exchange.contract == ["a"])
    }

    @Test("the documentation names every member", arguments: ["log", "export"])
    func documented(page: String) throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent("docs/\(page).md"), encoding: .utf8)
        let all =
            ExchangeTable.texts.map(\.members) + ExchangeTable.numbers.map(\.members)
            + ExchangeTable.flags.map(\.members) + ExchangeTable.lists.map(\.members)
        for name in all.compactMap({ page == "log" ? $0.log.map { "\($0)" } : $0.archive }) {
            #expect(text.contains("`\(name)`"), "docs/\(page).md has no \(name)")
        }
        for name in ExchangeTable.lists.flatMap(\.parts).map(\.name) where page == "log" {
            #expect(text.contains("`\(name)`"), "docs/log.md has no \(name)")
        }
    }

    private static var blank: Exchange {
        Exchange(startedAt: 0, client: .init(address: "", version: "", tls: nil), method: "", url: "")
    }

    /// An exchange with every fact of the table, each with another value.
    private static var whole: Exchange {
        var exchange = blank
        for (index, fact) in ExchangeTable.texts.enumerated() { fact.set(&exchange, "text \(index)") }
        for (index, fact) in ExchangeTable.numbers.enumerated() { fact.set(&exchange, Int64(200 + index)) }
        for fact in ExchangeTable.flags { fact.set(&exchange) }
        for (index, fact) in ExchangeTable.lists.enumerated() where index != ExchangeTable.traceIndex {
            let texts = fact.parts.isEmpty ? ["é \(index)", ""] : fact.parts.map { $0.isNumber ? "\(index)" : $0.name }
            fact.set(&exchange, texts)
        }
        ExchangeTable.lists[ExchangeTable.traceIndex].set(
            &exchange, ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"])
        return exchange
    }

    private static func facts(_ exchange: Exchange) -> [String] {
        let figures = exchange.figures
        return ExchangeTable.texts.map { "\($0.text): \($0.get(exchange) ?? "-")" }
            + ExchangeTable.numbers.map { "\($0.number): \($0.get(figures) ?? -1)" }
            + ExchangeTable.flags.map { "\($0.flag.rawValue): \($0.get(figures))" }
            + ExchangeTable.lists.map { "\($0.get(exchange))" }
    }

    private static func line(_ exchange: Exchange) throws -> JSONValue {
        var (exchange, writer) = (exchange, JSONWriter())
        exchange.id = 7
        writer.object { JSONLine.write(exchange, isRunning: true, to: &$0) }
        return try JSONReader.read(writer.bytes, dialect: .strict)
    }

    private static func archived(_ exchange: Exchange) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { ExchangeTable.write(archived: exchange, to: &$0) }
        return writer.bytes
    }
}
