import Admin
import JSON
import Platform

/// Tells a script that Shunt listens, and where: one line of JSON that appears complete or not at all.
struct ReadyFile: Sendable {
    let path: String

    func write(_ started: Started) throws(FileFailure) {
        var writer = JSONWriter()
        writer.object { object in
            object.member("pid", started.facts.pid)
            object.member("port", started.port)
            object.member("host", started.host)
            object.member("urls", started.facts.urls)
            object.member("pages", started.facts.pageURLs)
            object.member("admin", "http://" + started.admin)
            object.member("profile", started.profile)
        }
        try Files.write(writer.bytes + [UInt8(ascii: "\n")], to: path, mode: 0o644)
    }

    /// Nothing happens to a pipe or a device.
    func remove() { if !Files.isStream(path) { unlink(path) } }
}
