import Exchanges
import Foundation
import Store
import Synchronization
import TestSupport
import Testing

/// A database of its own on the tests' server, and a folder for what stands beside it.
final class PostgresBench: Sendable {
    let folder: TemporaryFolder
    let path: String
    let database: String

    init() throws {
        folder = try TemporaryFolder()
        path = try PostgresServer.shared.get().newDatabase()
        database = String(path.split(separator: "/")[2].prefix { $0 != "?" })
    }

    /// Opens it as one of several Shunts.
    func open(_ node: String = "a", _ change: (inout StoreSettings) -> Void = { _ in }) throws -> TrafficStore {
        var settings = Self.settings(node)
        change(&settings)
        return try TrafficStore.open(path, settings)
    }

    static func settings(_ node: String) -> StoreSettings {
        var settings = StoreSettings()
        settings.gathering = 1
        settings.ageLimit = .max
        settings.queueLimit = 256 << 20
        settings.finishing = 30_000
        settings.postgres.node = node
        return settings
    }

    /// Runs statements as the owner.
    @discardableResult
    func run(_ sql: String) throws -> String { try PostgresServer.shared.get().run(sql, in: database) }
}

/// A server that only one test has, since it is stopped and killed.
struct OwnServer {
    let server: PostgresServer
    var path: String { server.address }

    init() throws { server = try PostgresServer() }

    /// The address over a relay, without TLS.
    func path(through relay: StallingRelay) throws -> String {
        let passwords = try server.folder.write("pgpass", "*:*:*:*:\(PostgresServer.password)\n")
        chmod(passwords, 0o600)
        return "postgres://shunt@127.0.0.1:\(relay.port)/shunt?sslmode=disable&passfile="
            + passwords.replacing("/", with: "%2F")
    }
}

/// Exchanges with a number in their address.
enum Numbered {
    static func exchange(_ number: Int) -> Exchange { Pieces.exchange(url: "https://shop.test/\(number)") }

    static func piece(_ number: Int, size: Int = 3000) -> RecordedPiece {
        Pieces.whole(
            UInt64(number), exchange(number), [(.responseBody, [UInt8](repeating: UInt8(number & 63), count: size))])
    }

    static func begin(_ number: Int) -> RecordedPiece {
        Pieces.piece(UInt64(number), exchange(number), isFirst: true, isLast: false)
    }

    static func end(_ number: Int) -> RecordedPiece {
        Pieces.piece(UInt64(number), exchange(number), isFirst: false, isLast: true)
    }

    /// Checks that each exchange is there once.
    static func expectAll(_ count: Int, _ path: String) throws {
        let reader = try TrafficReader(path)
        var urls: [String] = []
        var last: Int64 = 0
        while true {
            let page = try reader.page(after: last, limit: 500)
            guard let end = page.last?.id else { break }
            urls += page.map(\.exchange.url)
            last = end
        }
        #expect(urls.count == count)
        #expect(Set(urls) == Set((1...count).map { "https://shop.test/\($0)" }))
    }
}

/// What a recorder told of its troubles.
final class TroubleLog: Sendable {
    private let words = Mutex<[String]>([])
    var all: [String] { words.withLock { $0 } }

    func hear(_ trouble: StoreTrouble) {
        let word =
            switch trouble {
            case .began(let failure): "began: \(failure.kind)"
            case .ended: "ended"
            case .begunAnew: "begun anew"
            case .fellBehind, .contractsLeftOut: "fell behind"
            case .spilling: "spilling"
            case .broughtIn(let count): "brought in \(count)"
            case .nothingRemoved(let failure): "nothing removed: \(failure)"
            case .notBroughtIn(let failure, _): "not brought in: \(failure.kind)"
            }
        words.withLock { $0.append(word) }
    }
}
