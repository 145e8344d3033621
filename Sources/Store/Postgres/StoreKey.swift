import Bytes
import Platform
import Postgres
import Redaction

/// The key of a store in PostgreSQL, which every Shunt that writes it has to have.
///
/// The database has a digest of it at least, by which a wrong key is recognised.
enum StoreKey {
    /// Finds the key, or makes it with the store.
    static func find(_ session: PostgresSession, _ source: PostgresSettings.Key) throws(StoreFailure) -> [UInt8] {
        let stored = try session.query("SELECT key, value FROM shunt.meta WHERE key IN ('key_check', 'redaction_key')")
        var found: [String: [UInt8]] = [:]
        for row in 0..<stored.count { found[stored.text(row, 0) ?? ""] = stored.bytes(row, 1) }
        let key: [UInt8]
        switch source {
        case .file(let path):
            if let known = try read(path) {
                key = known
            } else if found["key_check"] == nil {
                key = try make(path)
            } else {
                throw StoreFailure(
                    .cannotOpen, path: session.server,
                    "the store was begun with a key that is not here; copy the key file of the Shunt which began it to "
                        + "\(path), so that equal secrets look equal whichever Shunt recorded them")
            }
        case .database:
            guard let known = found["redaction_key"] else {
                guard found["key_check"] == nil else {
                    throw StoreFailure(
                        .cannotOpen, path: session.server,
                        "the store does not hold its key; name the key file of the Shunt which began it with "
                            + "--store-key FILE")
                }
                let fresh = random()
                try session.query(
                    "INSERT INTO shunt.meta(key, value) VALUES ('redaction_key', $1) ON CONFLICT DO NOTHING",
                    [.bytes(fresh)])
                try note(session, check(fresh))
                return try find(session, source)
            }
            return known
        }
        if let check = found["key_check"] {
            guard check == Self.check(key) else {
                throw StoreFailure(
                    .cannotOpen, path: session.server,
                    "the store was begun with another key; copy the key file of the Shunt which began it, so that equal "
                        + "secrets look equal whichever Shunt recorded them")
            }
            return key
        }
        try note(session, check(key))
        // Another Shunt may have begun at the same time.
        return try find(session, source)
    }

    /// Reads a key file, for a store that cannot be reached.
    static func read(_ path: String) throws(StoreFailure) -> [UInt8]? {
        guard Files.exists(path) else { return nil }
        var facts = stat()
        // A group may read it, as of a mounted Secret.
        guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_mode & 0o027 == 0 else {
            throw StoreFailure(
                .cannotOpen, path: path, "the key file must be one that others can neither read nor change: chmod 600")
        }
        let text: [UInt8]
        do throws(FileFailure) { text = try Files.read(path, limit: 1024) } catch {
            throw StoreFailure(.cannotOpen, path: path, "the key file cannot be read: \(error)")
        }
        let digits = String(decoding: text.filter { $0 > 0x20 }, as: UTF8.self)
        guard let key = Hex.bytes(digits), key.count == 32 else {
            throw StoreFailure(.cannotOpen, path: path, "the key file has no key; expected 64 hexadecimal digits")
        }
        return key
    }

    private static func make(_ path: String) throws(StoreFailure) -> [UInt8] {
        let key = random()
        do throws(FileFailure) {
            try Files.write(Array("\(Hex.text(key))\n".utf8), to: path, mode: 0o600, replaces: false)
        } catch {
            // Another Shunt of the same project may have made it just now.
            if error.code == EEXIST, let known = try read(path) { return known }
            throw StoreFailure(.cannotOpen, path: path, "the key file cannot be made: \(error.reason)")
        }
        return key
    }

    private static func note(_ session: PostgresSession, _ check: [UInt8]) throws(StoreFailure) {
        try session.query(
            "INSERT INTO shunt.meta(key, value) VALUES ('key_check', $1) ON CONFLICT DO NOTHING", [.bytes(check)])
    }

    private static func check(_ key: [UInt8]) -> [UInt8] {
        ContentDigest(key: key, purpose: "check").digest(UnsafeRawBufferPointer(start: nil, count: 0))
    }

    private static func random() -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        return (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
}
