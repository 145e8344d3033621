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
    /// nil without a log.
    let lostLines: (@Sendable () -> UInt64)?

    /// - Parameter token: opens `/metrics` and nothing else.
    public init(
        _ meters: ExchangeMeters, token: AdminToken, store: (@Sendable () -> StoreStatistics)?,
        lostLines: (@Sendable () -> UInt64)? = nil
    ) {
        (self.meters, self.token, self.store, self.lostLines) = (meters, token, store, lostLines)
    }
}

extension AdminToken {
    /// The name of the file with the token that reads metrics, beside the admin file.
    public static let metricsFile = "metrics-token"

    /// The token of a file that somebody else has written, such as a mounted Secret.
    /// - Returns: nil where all users may read it, or what stands there is no token: 32 to 512 visible characters.
    public static func read(_ path: String) throws(FileFailure) -> AdminToken? {
        var isOpenToAll = false
        let bytes = try Files.read(path, limit: 4096) { status in
            isOpenToAll = status.st_mode & 0o007 != 0
            return nil
        }
        let text = bytes.suffix(1) == [UInt8(ascii: "\n")] ? bytes.dropLast() : bytes[...]
        guard !isOpenToAll, (32...512).contains(text.count), text.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        return AdminToken(text: String(decoding: text, as: UTF8.self))
    }

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
