import Bytes
public import JSON
import Platform
public import Reactor

/// Why a request to a running Shunt has no response.
public enum AdminClientFailure: Error, Sendable {
    case unreachable(port: UInt16, SystemError)
    /// It did not respond in time, though the connection was accepted.
    case timedOut(port: UInt16, seconds: Int)
    /// The profiles were still being read when the time was over; the new ones count as soon as that is done.
    case stillReading(port: UInt16, seconds: Int)
    /// The response is not one of an admin interface.
    case garbled(port: UInt16)
    /// One that is somewhere else could not be asked.
    case remote(url: String, reason: String)
    /// Shunt refused, for this reason.
    case refused(status: Int, message: String, advice: String?, response: JSONValue)
}

/// What to do with mocks.
public struct MocksChange: Sendable {
    /// `on`, `off`, `only` or `reset`.
    public let state: String
    /// nil for all of the profile.
    public let names: [String]?
    public let keeps: Bool

    public init(state: String, names: [String]?, keeps: Bool) {
        self.state = state
        self.names = names
        self.keeps = keeps
    }
}

/// Asks a running Shunt; blocks until it has responded.
public struct AdminClient: Sendable {
    private static let seconds = 5
    /// Thousands of routes with mocks take seconds to read on a slow machine.
    private let reloadSeconds: Int
    /// Many silent origins take long, one batch after the other.
    private static let probeSeconds = 300
    private let record: AdminRecord

    /// - Parameter reloadSeconds: how long ``reload()`` waits.
    public init(_ record: AdminRecord, reloadSeconds: Int = 60) {
        self.record = record
        self.reloadSeconds = reloadSeconds
    }

    /// Its status, typed and as received.
    public func status() throws(AdminClientFailure) -> (status: AdminStatus, json: JSONValue) {
        let value = try ask("GET", "/v1/status", [])
        guard let status = AdminStatus(value) else { throw .garbled(port: record.adminPort) }
        return (status, value)
    }

    /// - Parameter waitSeconds: how long to wait for all nodes of a cluster; nil for as long as those need that are well.
    /// - Parameter closesSockets: WebSockets and event streams of the profile before are ended.
    public func use(
        _ profile: String, waitSeconds: Int? = nil, closesSockets: Bool = false
    ) throws(AdminClientFailure) -> JSONValue {
        var writer = JSONWriter()
        writer.object { object in
            object.member("profile", profile)
            if closesSockets { object.member("closeSockets", true) }
            if let waitSeconds {
                object.member("wait", true)
                object.member("waitSeconds", waitSeconds)
            }
        }
        return try ask("POST", "/v1/use", writer.bytes, seconds: Self.seconds + (waitSeconds ?? 0))
    }

    /// Sets the profile of one device; with nil it follows the active one.
    /// - Parameter device: a device's name, or any client address.
    public func use(_ profile: String?, device: String) throws(AdminClientFailure) -> JSONValue {
        try ask("POST", "/v1/use") {
            $0.member("profile", profile)
            $0.member("device", device)
        }
    }

    /// Sets the profile of a user's devices; with nil they follow the active one.
    /// - Parameter user: nil for the caller's own.
    public func use(_ profile: String?, user: String?) throws(AdminClientFailure) -> JSONValue {
        guard let user else { return try ask("POST", "/v1/use/mine") { $0.member("profile", profile) } }
        return try ask("POST", "/v1/use") {
            $0.member("profile", profile)
            $0.member("user", user)
        }
    }

    public func tokens() throws(AdminClientFailure) -> JSONValue { try ask("GET", "/v1/tokens", []) }

    /// - Parameter seconds: how long it is valid; nil for no end.
    public func makeToken(
        for user: String, _ permissions: Set<Permission>, seconds: Int?
    ) throws(AdminClientFailure) -> JSONValue {
        try ask("POST", "/v1/tokens") {
            $0.member("user", user)
            $0.member("may", permissions.names)
            if let seconds { $0.member("seconds", seconds) }
        }
    }

    /// - Parameter name: a user's, or a token's identifier.
    public func revokeTokens(_ name: String) throws(AdminClientFailure) -> JSONValue {
        try ask("POST", "/v1/tokens/revoke") { $0.member("token", name) }
    }

    /// - Parameters:
    ///   - since: seconds since 1970.
    ///   - user: nil for everybody.
    public func audit(since: Int64, user: String?, limit: Int) throws(AdminClientFailure) -> JSONValue {
        let name = user.map { "&user=\(FormCoding.encoded($0))" } ?? ""
        return try ask("GET", "/v1/audit?since=\(since)&limit=\(limit)\(name)", [])
    }

    public func reload() throws(AdminClientFailure) -> JSONValue {
        do throws(AdminClientFailure) { return try ask("POST", "/v1/reload", [], seconds: reloadSeconds) } catch {
            guard case .timedOut(let port, let seconds) = error else { throw error }
            throw .stillReading(port: port, seconds: seconds)
        }
    }

    public func probe() throws(AdminClientFailure) -> JSONValue {
        try ask("GET", "/v1/probe", [], seconds: Self.probeSeconds)
    }

    /// The files that its profiles would have; refused where they have some.
    public func originFiles() throws(AdminClientFailure) -> OriginFiles {
        guard let files = OriginFiles(try ask("GET", "/v1/origins", [])) else {
            throw .garbled(port: record.adminPort)
        }
        return files
    }

    /// Which route of a profile a request would take, and why.
    public func explain(url: String, method: String, profile: String) throws(AdminClientFailure) -> JSONValue {
        let query = [("url", url), ("method", method), ("profile", profile)].map { name, value in
            "\(name)=\(FormCoding.encoded(value))"
        }
        return try ask("GET", "/v1/explain?" + query.joined(separator: "&"), [])
    }

    public func devices() throws(AdminClientFailure) -> JSONValue { try ask("GET", "/v1/devices", []) }

    /// Requests a code that pairs a device.
    /// - Parameter profile: what the device gets at once; with nil it follows the active one.
    public func pair(profile: String?) throws(AdminClientFailure) -> JSONValue {
        try ask("POST", "/v1/pair") { $0.member("profile", profile) }
    }

    /// Makes a device of the caller's for an app, which sends the cookie of the response.
    public func pair(app: String, profile: String?) throws(AdminClientFailure) -> JSONValue {
        try ask("POST", "/v1/pair") {
            $0.member("app", app)
            $0.member("profile", profile)
        }
    }

    /// Forgets a device, or with nil all of them.
    public func forget(device: String?) throws(AdminClientFailure) -> JSONValue {
        try ask("POST", "/v1/devices/forget") {
            if let device { $0.member("device", device) } else { $0.member("all", true) }
        }
    }

    /// The mocks of a profile, the active one with nil, as they are for all clients or for one device.
    public func mocks(profile: String?, device: String?) throws(AdminClientFailure) -> JSONValue {
        let query = [("profile", profile), ("device", device)].compactMap { name, value in
            value.map { "\(name)=\(FormCoding.encoded($0))" }
        }
        return try ask("GET", "/v1/mocks" + (query.isEmpty ? "" : "?" + query.joined(separator: "&")), [])
    }

    public func changeMocks(
        _ change: MocksChange, profile: String?, device: String?
    ) throws(AdminClientFailure) -> JSONValue {
        try ask("POST", "/v1/mocks") {
            $0.member("state", change.state)
            if let names = change.names { $0.member("names", names) } else { $0.member("all", true) }
            $0.member("profile", profile)
            $0.member("device", device)
            $0.member("keep", change.keeps)
        }
    }

    /// Notifications that stand-ins for APNs have accepted, behind a number.
    public func pushes(after number: Int, limit: Int) throws(AdminClientFailure) -> JSONValue {
        try ask("GET", "/v1/push/received?after=\(number)&limit=\(limit)", [])
    }

    public func forgetPushes() throws(AdminClientFailure) -> JSONValue { try ask("DELETE", "/v1/push/received", []) }

    public func networks() throws(AdminClientFailure) -> JSONValue { try ask("GET", "/v1/network", []) }

    /// - Parameters:
    ///   - network: a preset, `off` or `default`.
    ///   - device: a device's name or a client's address; nil for all clients.
    public func choose(
        network: String, device: String?, seconds: Int?
    ) throws(AdminClientFailure) -> JSONValue {
        try ask("POST", "/v1/network") {
            $0.member("network", network)
            $0.member("device", device)
            if let seconds { $0.member("seconds", seconds) }
        }
    }

    public func unlock(_ profile: String, seconds: Int, reason: String) throws(AdminClientFailure) -> JSONValue {
        try ask("POST", "/v1/unlock") {
            $0.member("profile", profile)
            $0.member("seconds", seconds)
            $0.member("reason", reason)
        }
    }

    public func lock(_ profile: String) throws(AdminClientFailure) -> JSONValue {
        try ask("POST", "/v1/lock") { $0.member("profile", profile) }
    }

    /// Lets the sealed store be read for a while.
    /// - Parameter identities: the texts of their files.
    public func unlockStore(_ identities: [String], seconds: Int) throws(AdminClientFailure) -> JSONValue {
        try ask("POST", "/v1/store/unlock") {
            $0.member("identities", identities)
            $0.member("seconds", seconds)
        }
    }

    public func lockStore() throws(AdminClientFailure) -> JSONValue { try ask("POST", "/v1/store/lock", []) }

    /// Lets its store have all that has passed before; returns the number of the newest exchange.
    public func settleTraffic() throws(AdminClientFailure) -> Int64? {
        try ask("GET", "/v1/traffic/newest", [], seconds: 2)["newest"]?.number?.int64
    }

    /// A link that logs one browser in.
    public func inspectorLink() throws(AdminClientFailure) -> JSONValue {
        try ask("POST", "/v1/inspector/link", [])
    }

    private func ask(
        _ method: String, _ path: String, _ members: (inout JSONWriter) -> Void
    ) throws(AdminClientFailure) -> JSONValue {
        var writer = JSONWriter()
        writer.object(members)
        return try ask(method, path, writer.bytes)
    }

    private func ask(
        _ method: String, _ path: String, _ body: [UInt8], seconds: Int = seconds
    ) throws(AdminClientFailure) -> JSONValue {
        // The clock is one that both ends share on one machine only.
        let deadline =
            record.remote?.isSecure != true
            ? "\(AdminDeadline.field): \(AdminDeadline.value(patience: seconds))\r\n" : ""
        let head = """
            \(method) \(path) HTTP/1.1\r
            Host: \(record.remote?.field ?? "127.0.0.1:\(record.adminPort)")\r
            Authorization: Bearer \(record.token)\r
            Content-Type: application/json\r
            Content-Length: \(body.count)\r
            \(deadline)Connection: close\r
            \r

            """
        let bytes = try exchange(Array(head.utf8) + body, seconds: seconds)
        guard let (status, value) = Self.read(bytes) else {
            if let remote = record.remote {
                throw .remote(url: remote.url, reason: "it is no admin interface of Shunt")
            }
            throw .garbled(port: record.adminPort)
        }
        guard status == 200 else {
            throw .refused(
                status: status, message: value["detail"]?.string ?? "status \(status)", advice: value["advice"]?.string,
                response: value)
        }
        return value
    }

    private func exchange(_ request: [UInt8], seconds: Int) throws(AdminClientFailure) -> [UInt8] {
        if let remote = record.remote, remote.isSecure {
            do throws(AdminWireFailure) {
                return try AdminWire(address: remote, seconds: seconds).exchange(request)
            } catch {
                throw .remote(url: remote.url, reason: error.reason)
            }
        }
        do throws(SystemError) {
            let connection = try LoopbackConnection(port: record.adminPort, seconds: seconds)
            try connection.sendAll(request)
            return try connection.receiveAll(limit: 4 << 20)
        } catch {
            if error.code == EAGAIN { throw .timedOut(port: record.adminPort, seconds: seconds) }
            throw .unreachable(port: record.adminPort, error)
        }
    }

    /// The status and the body of a response that ends with its connection and is not chunked.
    static func read(_ bytes: [UInt8]) -> (status: Int, body: JSONValue)? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self).split(separator: " ")
        guard line.count >= 2, line[0].hasPrefix("HTTP/1."), let status = Int(line[1]),
            let body = try? JSONReader.read(Array(bytes[end.upperBound...]), dialect: .strict)
        else { return nil }
        return (status, body)
    }
}
