import Admin
import JSON
import Platform

/// Tells a script that Shunt listens, and where: one line of JSON that appears complete or not at all.
struct ReadyFile: Sendable {
    let path: String

    func write(_ started: Started) throws(FileFailure) {
        let json = JSONWriter.object([
            "pid": started.facts.pid, "port": started.port, "host": started.host, "urls": started.facts.urls,
            "pages": started.facts.pageURLs, "admin": "http://" + started.admin, "profile": started.profile,
        ])
        try Files.write(json + [UInt8(ascii: "\n")], to: path, mode: 0o644)
    }

    /// Nothing happens to a pipe or a device.
    func remove() { if !Files.isStream(path) { unlink(path) } }
}
