import Admin
import Bytes
import Engine
import JSON
import Platform
import Profiles

/// `.shunt/PORT.state`: what a server that takes the place of one that crashed goes on with.
///
/// It is removed when a server begins to end, so that one that is there tells of a crash.
struct RestartState: Sendable {
    struct Unlocked: Sendable {
        let profile: String
        let reason: String
        /// Seconds since 1970.
        let until: Int64
    }

    private static let suffix = ".state"

    let pid: Int32
    let port: UInt16
    let adminPort: UInt16
    let pagesPort: UInt16?
    /// The active one.
    var profile: String
    var unlocked: [Unlocked] = []
    /// The profiles that were unlocked must be the same ones.
    var digest = ""

    private static func path(_ port: UInt16, _ directory: String) -> String { "\(directory)/\(port)\(suffix)" }

    /// What the server at `port` has left.
    static func left(port: UInt16, in directory: String) -> RestartState? {
        AdminFile.readOwn(path(port, directory)).flatMap { RestartState(json: $0) }.flatMap {
            $0.port == port ? $0 : nil
        }
    }

    /// What that process has left.
    static func left(by pid: pid_t, in directory: String) -> RestartState? {
        for name in (try? Files.names(in: directory)) ?? [] where name.hasSuffix(suffix) {
            guard let port = UInt16(name.dropLast(suffix.utf8.count)) else { continue }
            if let state = left(port: port, in: directory), state.pid == pid { return state }
        }
        return nil
    }

    /// Takes the ports of the one before, where they are still free.
    func apply(to settings: inout ServeSettings) {
        settings.port = port
        if !PortHolder.isTaken(adminPort) { settings.adminPort = adminPort }
        if let pagesPort, settings.hasPages, !PortHolder.isTaken(pagesPort) { settings.pagesPort = pagesPort }
    }

    /// Unlocks what was unlocked, for the rest of its time.
    func unlock(_ locks: Locks, _ library: ProfileLibrary) {
        guard !unlocked.isEmpty, digest == ProfilesDigest.make(library) else { return }
        let now = Int64(time(nil))
        for entry in unlocked {
            let left = UntrustedNumber(entry.until).minus(UntrustedNumber(now)).clamped(to: 0...28_800)
            if left > 0 { _ = try? locks.unlock(entry.profile, seconds: Int(left), reason: entry.reason) }
        }
    }

    func write(to directory: String) throws(FileFailure) {
        var writer = JSONWriter(style: .pretty)
        writer.object { object in
            object.member("pid", Int(pid))
            object.member("port", port)
            object.member("adminPort", adminPort)
            object.member("pagesPort", pagesPort.map(Int.init))
            object.member("profile", profile)
            object.member("digest", digest)
            object.array("unlocked") { list in
                for entry in unlocked {
                    list.object {
                        $0.member("profile", entry.profile)
                        $0.member("reason", entry.reason)
                        $0.member("until", entry.until)
                    }
                }
            }
        }
        try Files.write(writer.bytes + [UInt8(ascii: "\n")], to: Self.path(port, directory), mode: 0o600)
    }

    /// Removes the file, unless another process has written it.
    func remove(from directory: String) {
        if Self.left(port: port, in: directory)?.pid == pid { unlink(Self.path(port, directory)) }
    }
}

extension RestartState {
    private init?(json bytes: [UInt8]) {
        guard let value = try? JSONReader.read(bytes, dialect: .strict) else { return nil }
        func number<N: FixedWidthInteger>(_ name: String) -> N? {
            value[name]?.number?.int64.flatMap { N(exactly: $0) }
        }
        guard let pid: Int32 = number("pid"), let port: UInt16 = number("port"),
            let adminPort: UInt16 = number("adminPort"), let profile = value["profile"]?.string
        else { return nil }
        self.init(pid: pid, port: port, adminPort: adminPort, pagesPort: number("pagesPort"), profile: profile)
        digest = value["digest"]?.string ?? ""
        unlocked = (value["unlocked"]?.array ?? []).compactMap { entry in
            guard let profile = entry["profile"]?.string, let reason = entry["reason"]?.string,
                let until = entry["until"]?.number?.int64
            else { return nil }
            return Unlocked(profile: profile, reason: reason, until: until)
        }
    }
}
