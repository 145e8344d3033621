import Exchanges
import Store

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Writes numbered exchanges into PostgreSQL, or into a file while it is away, until it is killed.
enum Spilling {
    /// - Parameter words: the address, the file of the key, the file for what is spilled, and a name for the URLs; a count
    ///   as the last one ends it by itself.
    static func run(_ words: [String]) throws {
        var settings = StoreSettings()
        settings.gathering = 1
        settings.ageLimit = .max
        settings.whenFull = .wait
        settings.queueLimit = 1 << 20
        settings.finishing = 60_000
        settings.postgres.node = "spilling"
        settings.postgres.key = .file(words[1])
        settings.postgres.spill = words[2]
        settings.postgres.patience = 3000
        settings.committed = { exchanges in
            let lines = exchanges.map { "\($0.exchange.url)\n" }.joined()
            _ = lines.utf8.withContiguousStorageIfAvailable { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        }
        let store = try TrafficStore.open(words[0], settings)
        let count = words.count > 4 ? UInt64(words[4]) ?? 0 : .max
        var number: UInt64 = 0
        while number < count {
            number += 1
            var exchange = Samples.exchange(number)
            exchange.url = "https://shop.test/\(words[3])/\(number)"
            var piece = RecordedPiece(id: number, exchange: exchange, isFirst: true, isLast: !number.isMultiple(of: 10))
            piece.append(.clientRequest, Samples.requestHead)
            piece.append(.responseBody, Samples.body)
            Acknowledging.offer(piece, to: store)
            // Every tenth ends later, perhaps when the server is back.
            guard number.isMultiple(of: 10), number > 200 else { continue }
            var earlier = Samples.exchange(number - 200)
            earlier.url = "https://shop.test/\(words[3])/\(number - 200)"
            Acknowledging.offer(
                RecordedPiece(id: number - 200, exchange: earlier, isFirst: false, isLast: true), to: store)
            usleep(2000)
        }
        store.finish()
    }
}
