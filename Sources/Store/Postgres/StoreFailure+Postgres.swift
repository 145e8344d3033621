import Postgres

extension StoreFailure {
    /// What a failure of PostgreSQL means for a store.
    ///
    /// - Parameter server: words for the server, which take the place of a path.
    init(_ failure: PostgresFailure, _ server: String) { self.init(Self.kind(failure), path: server, failure.message) }

    private static func kind(_ failure: PostgresFailure) -> Kind {
        switch failure.kind {
        case .address, .library, .refused: return .cannotOpen
        case .unreachable, .lost, .timedOut: return .away
        case .statement(let state):
            switch state {
            // A table or a schema that is missing.
            case "42P01", "3F000": return .missing
            case "42501", "25006": return .readOnly
            case "53100": return .diskFull
            case "55P03", "57014", "40001", "40P01", "55006": return .busy
            case "57P01", "57P02", "57P03", "53300", "25P03": return .away
            case let state where state.hasPrefix("58"): return .inputOutput
            case let state where state.hasPrefix("53") || state.hasPrefix("08"): return .away
            default: return .other
            }
        }
    }
}
