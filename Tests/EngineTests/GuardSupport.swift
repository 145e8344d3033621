import TestSupport

/// Sends one request on a connection of its own, and reads all of the response.
func askOnce(
    _ port: UInt16, _ method: String, _ path: String, _ fields: String = "", _ body: String = "", host: String = "x"
) async throws -> (head: String, body: String) {
    try await blocking {
        let client = try RawConnection.connect(port)
        let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
        try client.send(
            "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\n\(fields)\(length)Connection: close\r\n\r\n\(body)")
        return (try client.readHead(), method == "HEAD" ? "" : try client.readToEnd())
    }
}
