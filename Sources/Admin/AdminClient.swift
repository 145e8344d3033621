package import Engine
package import JSON
import Platform
package import Reactor
package import TLS

/// Why a request to a running Shunt has no response.
package enum AdminClientFailure: Error, Sendable {
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

/// Asks a running Shunt; blocks until it has responded.
package struct AdminClient: Sendable {
    package let record: AdminRecord

    package init(_ record: AdminRecord) { self.record = record }

    /// Sends a request, and reads its response.
    ///
    /// - Parameters:
    ///   - more: seconds that the response may take beside the usual ones.
    ///   - seconds: in place of the usual ones.
    ///   - bytes: in place of a body with members.
    ///   - fill: sets the members of the body, or of the query of a GET.
    package func ask<Body, Reply>(
        _ request: AdminEndpoint<Body, Reply>, seconds: Int? = nil, more: Int = 0, sending bytes: [UInt8]? = nil,
        _ fill: (inout Record<Body>) -> Void = { _ in }
    ) throws(AdminClientFailure) -> Record<Reply> {
        let body = Record(fill)
        let target = request.path + (request.hasBody ? "" : body.query)
        do throws(AdminClientFailure) {
            let value = try ask(
                request.method, target, bytes ?? (request.hasBody && !Body.list.isEmpty ? body.bytes : []),
                seconds: (seconds ?? request.seconds) + more)
            guard let reply = Record<Reply>(json: value) else { throw .garbled(port: record.adminPort) }
            return reply
        } catch {
            guard case .timedOut(let port, let seconds) = error, request.path == API.reload.path else { throw error }
            throw .stillReading(port: port, seconds: seconds)
        }
    }

    /// Where a connection of an attachment is opened.
    package func door(of attachment: Int) throws(TLSFailure) -> GatewayDoor {
        let head = """
            GET \(API.attach.path)/\(attachment) HTTP/1.1\r
            Host: \(host)\r
            Authorization: Bearer \(record.token)\r
            Connection: Upgrade\r
            Upgrade: \(Attachment.protocolName)\r
            \r

            """
        guard let remote = record.remote, remote.isSecure else {
            return GatewayDoor(host: "127.0.0.1", port: record.adminPort, context: nil, request: Array(head.utf8))
        }
        return GatewayDoor(
            host: remote.bareHost, port: remote.port, context: try context(remote), request: Array(head.utf8))
    }

    private var host: String { record.remote?.field ?? "127.0.0.1:\(record.adminPort)" }

    private func context(_ remote: AdminAddress) throws(TLSFailure) -> ClientContext {
        try ClientContext(policy: .standard(extraAuthorities: remote.authority.map { [$0] } ?? []))
    }

    private func ask(
        _ method: String, _ path: String, _ body: [UInt8], seconds: Int
    ) throws(AdminClientFailure) -> JSONValue {
        // The clock is one that both ends share on one machine only.
        let deadline =
            record.remote?.isSecure != true
            ? "\(AdminDeadline.field): \(AdminDeadline.value(patience: seconds))\r\n" : ""
        let head = """
            \(method) \(path) HTTP/1.1\r
            Host: \(host)\r
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
        do {
            let connection = try connection(seconds)
            try connection.send(request)
            return try connection.receiveAll(limit: 4 << 20)
        } catch {
            if let remote = record.remote, remote.isSecure {
                throw .remote(url: remote.url, reason: Self.reason(error))
            }
            let error = error as? SystemError ?? SystemError("connect", code: EADDRNOTAVAIL)
            if error.code == EAGAIN { throw .timedOut(port: record.adminPort, seconds: seconds) }
            throw .unreachable(port: record.adminPort, error)
        }
    }

    private func connection(_ seconds: Int) throws -> BlockingConnection {
        guard let remote = record.remote, remote.isSecure else {
            return try BlockingConnection(port: record.adminPort, seconds: seconds)
        }
        return try BlockingConnection(
            host: remote.bareHost, port: remote.port, seconds: seconds, tls: try context(remote))
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let failure as TLSFailure:
            if case .certificateRejected(_, let reason, _) = failure.kind {
                "its certificate is not trusted: \(reason)"
            } else {
                failure.message
            }
        case let failure as NameFailure: failure.reason
        case let failure as SystemError: failure.code == EAGAIN ? "it did not respond in time" : failure.reason
        default: "\(error)"
        }
    }

    /// The status and the body of a response that ends with its connection and is not chunked.
    static func read(_ bytes: [UInt8]) -> (status: Int, body: JSONValue)? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self).split(separator: " ")
        guard line.count >= 2, line[0].hasPrefix("HTTP/1."), let status = Int(line[1]),
            let body = value(of: Array(bytes[end.upperBound...]), isRefusal: status >= 400)
        else { return nil }
        return (status, body)
    }

    /// A response's content as JSON, also where the engine refused the request before a handler got it: then it is a
    /// page of text, whose second line has the reason.
    private static func value(of content: [UInt8], isRefusal: Bool) -> JSONValue? {
        if let value = try? JSONReader.read(content, dialect: .strict) { return value }
        let lines = String(decoding: content, as: UTF8.self).split(separator: "\n")
        guard isRefusal, lines.count > 1, lines[1].hasPrefix("shunt: ") else { return nil }
        let json = JSONWriter.object { $0.member("detail", String(lines[1].dropFirst("shunt: ".utf8.count))) }
        return try? JSONReader.read(json, dialect: .strict)
    }
}
