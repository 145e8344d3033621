public import Metrics
public import Platform
public import Store

/// What `GET /metrics` tells beside the proxy's own counters.
public struct Monitoring: Sendable {
    let meters: ExchangeMeters
    /// Opens `/metrics` and nothing else.
    let token: AdminToken
    /// nil without a store.
    let store: (@Sendable () -> StoreStatistics)?

    /// - Parameter token: opens `/metrics` and nothing else.
    public init(_ meters: ExchangeMeters, token: AdminToken, store: (@Sendable () -> StoreStatistics)?) {
        (self.meters, self.token, self.store) = (meters, token, store)
    }
}

extension AdminToken {
    /// The name of the file with the token that reads metrics, beside the admin file.
    public static let metricsFile = "metrics-token"

    /// The token of a file, so that it outlives a restart.
    ///
    /// It is a new one where the file is missing or broken, or may be read or written by others. Throws where a new one
    /// cannot be kept, since no monitoring could know it.
    /// - Parameter directory: the folder `.shunt`.
    public static func kept(in directory: String) throws(FileFailure) -> AdminToken {
        let path = "\(directory)/\(metricsFile)"
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & 0o077 == 0, let bytes = try? Files.read(path)
        {
            let text = String(decoding: bytes, as: UTF8.self).filter { $0 != "\n" }
            if text.utf8.count == 64, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
            {
                return AdminToken(text: text)
            }
        }
        let token = AdminToken.random()
        try Files.makeDirectory(directory, mode: 0o700)
        try Files.write(Array("\(token.text)\n".utf8), to: path, mode: 0o600)
        return token
    }
}
