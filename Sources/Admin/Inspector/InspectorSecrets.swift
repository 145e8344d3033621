import JSON
import Platform

/// What a browser must have to use the admin interface: a cookie and a key.
///
/// Browsers send cookies to every port of a host, also to a server of another user, so that the cookie alone opens
/// nothing. The key stays in the storage of the page's origin, which includes the port, where scripts can read it; so
/// it opens nothing alone either.
public struct InspectorSecrets: Sendable {
    let cookie: AdminToken
    let key: AdminToken

    public init() {
        cookie = .random()
        key = .random()
    }

    private init(cookie: String, key: String) {
        self.cookie = AdminToken(text: cookie)
        self.key = AdminToken(text: key)
    }
}

extension InspectorSecrets {
    /// Those of `.shunt/inspector.json` beside a folder of profiles, so that a login outlives a restart; new ones where
    /// the file is missing, broken or may be written by others.
    /// - Parameter profilesDirectory: absolute.
    public static func kept(profilesDirectory: String) -> InspectorSecrets {
        let directory = AdminFile(profilesDirectory: profilesDirectory).directory
        let path = directory + "/inspector.json"
        if let secrets = read(path) { return secrets }
        let secrets = InspectorSecrets()
        let json = JSONWriter.object(.pretty, ["cookie": secrets.cookie.text, "key": secrets.key.text])
        // Where it cannot be written, a login lasts until Shunt ends.
        try? Files.makeDirectory(directory, mode: 0o700)
        try? Files.write(json + [UInt8(ascii: "\n")], to: path, mode: 0o600)
        return secrets
    }

    private static func read(_ path: String) -> InspectorSecrets? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 == 0,
            let bytes = try? Files.read(path), let value = try? JSONReader.read(bytes, dialect: .strict),
            let cookie = value["cookie"]?.string, let key = value["key"]?.string,
            cookie.utf8.count == 64, key.utf8.count == 64, cookie != key,
            (cookie + key).utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        return InspectorSecrets(cookie: cookie, key: key)
    }
}
