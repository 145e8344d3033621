import Filter

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The system's SQLite with exchanges in it, as the log has them; loaded at run time, so that nothing links it.
final class Database {
    private typealias Open = @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>) -> CInt
    private typealias Prepare =
        @convention(c) (
            OpaquePointer?, UnsafePointer<CChar>, CInt, UnsafeMutablePointer<OpaquePointer?>, OpaquePointer?
        )
        -> CInt
    private typealias BindInteger = @convention(c) (OpaquePointer?, CInt, Int64) -> CInt
    private typealias BindText = @convention(c) (OpaquePointer?, CInt, UnsafePointer<CChar>, CInt, Int) -> CInt
    private typealias OnHandle = @convention(c) (OpaquePointer?) -> CInt
    private typealias Column = @convention(c) (OpaquePointer?, CInt) -> Int64
    private typealias Message = @convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?

    private let handle: OpaquePointer?
    private static let row: CInt = 100

    nonisolated(unsafe) private static let library =
        dlopen("libsqlite3.so.0", RTLD_NOW) ?? dlopen("/usr/lib/libsqlite3.dylib", RTLD_NOW)

    static var isThere: Bool { library != nil }

    private static func function<Function>(_ name: String, _: Function.Type) -> Function {
        unsafeBitCast(dlsym(library, "sqlite3_" + name), to: Function.self)
    }

    init?(holding subjects: [Subject]) {
        var handle: OpaquePointer?
        guard Self.function("open", Open.self)(":memory:", &handle) == 0 else { return nil }
        self.handle = handle
        let names = [
            "id", "started_us", "client", "client_port", "method", "url", "host", "status", "request_type",
            "response_type",
            "profile", "route", "responder", "origin", "origin_address", "trust", "app", "session", "operation",
            "total_us",
            "error", "graphql_errors", "grpc_status", "facts",
        ]
        let numbers = ["started_us", "client_port", "status", "total_us", "graphql_errors", "grpc_status"]
        let columns = names.map {
            $0 == "id" ? "id INTEGER PRIMARY KEY" : "\($0) \(numbers.contains($0) ? "INTEGER" : "TEXT")"
        }
        guard rows("CREATE TABLE exchange(\(columns.joined(separator: ", ")))", []) != nil else { return nil }
        for index in ["host, id", "status, id", "started_us"] {
            let name = String(index.prefix { $0 != "," })
            guard rows("CREATE INDEX by_\(name) ON exchange(\(index))", []) != nil else { return nil }
        }
        for subject in subjects {
            let texts = [
                subject.requestType, subject.responseType, subject.profile, subject.route, subject.responder,
                subject.origin, subject.originAddress, subject.trust, subject.app, subject.session,
                subject.operation,
            ]
            let values: [FilterSQL.Parameter?] =
                [
                    .integer(subject.id), .integer(subject.startedAt), .text(subject.clientAddress),
                    .integer(Int64(subject.clientPort)), .text(subject.method), .text(subject.url), .text(subject.host),
                    subject.status.map { .integer(Int64($0)) },
                ] + texts.map { $0.map { .text($0) } } + [
                    subject.duration.map { .integer($0) }, subject.error.map { .text($0) },
                    subject.graphQLErrors.map { .integer(Int64($0)) }, subject.grpcStatus.map { .integer(Int64($0)) },
                    subject.differsFromContract ? .text("lists") : nil,
                ]
            let marks = Array(repeating: "?", count: names.count).joined(separator: ", ")
            guard rows("INSERT INTO exchange VALUES(\(marks))", values) != nil else { return nil }
        }
    }

    /// A file, as another program has it open.
    init?(file: String) {
        var handle: OpaquePointer?
        guard Self.function("open", Open.self)(file, &handle) == 0 else { return nil }
        self.handle = handle
    }

    deinit { _ = Self.function("close", OnHandle.self)(handle) }

    var message: String { Self.function("errmsg", Message.self)(handle).map { String(cString: $0) } ?? "" }

    /// Nil when the database refuses the condition.
    func identifiers(where sql: FilterSQL) -> Set<Int64>? {
        rows("SELECT id FROM exchange WHERE id > 0 AND (1 AND (\(sql.condition)))", sql.parameters).map(Set.init)
    }

    func rows(_ text: String, _ values: [FilterSQL.Parameter?] = []) -> [Int64]? {
        var statement: OpaquePointer?
        guard Self.function("prepare_v2", Prepare.self)(handle, text, -1, &statement, nil) == 0 else { return nil }
        defer { _ = Self.function("finalize", OnHandle.self)(statement) }
        for (index, value) in values.enumerated() {
            switch value {
            case .integer(let number):
                _ = Self.function("bind_int64", BindInteger.self)(statement, CInt(index + 1), number)
            // -1 has SQLite copy it (SQLITE_TRANSIENT).
            case .text(let text):
                _ = Self.function("bind_text", BindText.self)(statement, CInt(index + 1), text, -1, -1)
            case nil: break
            }
        }
        let step = Self.function("step", OnHandle.self)
        var found: [Int64] = []
        while true {
            switch step(statement) {
            case Self.row: found.append(Self.function("column_int64", Column.self)(statement, 0))
            case 101: return found
            default: return nil
            }
        }
    }
}
