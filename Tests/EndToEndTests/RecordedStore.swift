import Exchanges
import Store
import TestSupport

/// A store as a Shunt leaves it beside the profiles of a project.
struct RecordedStore {
    let shunt: Shunt
    let path: String

    init() throws {
        shunt = try Shunt()
        try shunt.folder.write("Profiles/local.json", "{ \"kind\": \"local\" }\n")
        path = shunt.folder.path + "/.shunt/traffic.db"
    }

    func open(bodyLimit: Int = 1 << 20) throws -> TrafficStore {
        var settings = StoreSettings()
        settings.gathering = 1
        settings.ageLimit = .max
        settings.bodyLimit = bodyLimit
        settings.finishing = 30_000
        return try TrafficStore.open(path, settings)
    }

    /// Writes exchanges and closes the store.
    func record(_ pieces: [RecordedPiece], bodyLimit: Int = 1 << 20) throws {
        let store = try open(bodyLimit: bodyLimit)
        for piece in pieces { _ = store.offer(piece) }
        store.finish()
    }

    static func exchange(_ url: String = "https://api.shop.test/v1/cart", status: Int? = 200) -> Exchange {
        var exchange = Exchange(
            startedAt: 1_700_000_000_123_456, client: .init(address: "[::1]:5000", version: "HTTP/1.1", tls: "TLSv1.3"),
            method: "GET", url: url, status: status)
        exchange.timings.total = 12_000
        return exchange
    }

    static func piece(
        _ id: UInt64, _ exchange: Exchange = exchange(), isFirst: Bool = true, isLast: Bool = true,
        parts: [(RecordedPiece.Part.Kind, [UInt8])] = []
    ) -> RecordedPiece {
        var piece = RecordedPiece(id: id, exchange: exchange, isFirst: isFirst, isLast: isLast)
        for (kind, bytes) in parts { piece.append(kind, bytes) }
        return piece
    }
}
