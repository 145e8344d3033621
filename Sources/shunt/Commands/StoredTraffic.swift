import Admin
import Traffic

extension Option {
    static let store = Option.value(
        "store", "FILE", default: ".shunt/traffic.db beside the profiles", "The store with the recorded traffic.")
}

/// The store that a command means.
enum StoredTraffic {
    /// That of `--store`, else the project's.
    static func path(_ arguments: Arguments) throws(CommandFailure) -> String {
        if let given = arguments.text("store") { return Path.absolute(given) }
        return AdminFile(profilesDirectory: try Project.find(arguments).profilesDirectory).directory + "/traffic.db"
    }

    static func reader(_ arguments: Arguments) throws(CommandFailure) -> TrafficReader {
        let path = try path(arguments)
        do throws(StoreFailure) { return try TrafficReader(path) } catch {
            let advice =
                "Traffic is recorded while `shunt serve` runs; `shunt import FILE.har` brings in other traffic."
            throw .failed("\(error)", advice: error.kind == .missing ? advice : nil)
        }
    }

    static func id(_ text: String) throws(CommandFailure) -> Int64 {
        guard let id = Int64(text), id > 0 else {
            throw .usage(
                UsageError("“\(text)” is no number of an exchange", advice: "`shunt logs` shows them in front."))
        }
        return id
    }

    /// What the words of a filter select.
    static func condition(_ words: [String]) throws(CommandFailure) -> StoreCondition {
        let sql: FilterSQL
        do throws(FilterFailure) { sql = try TrafficFilter(words.joined(separator: " ")).sql } catch {
            throw .failed("the filter cannot be understood: \(error)")
        }
        guard sql.isExact else {
            throw .failed(
                "this filter looks into what only reading each exchange can tell",
                advice: "For an export filter by host, URL, method, status, type, profile and the like, as plain text.")
        }
        return StoreCondition(
            sql.condition,
            sql.parameters.map { parameter in
                switch parameter {
                case .integer(let number): .integer(number)
                case .text(let text): .text(text)
                }
            })
    }
}
