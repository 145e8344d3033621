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

    struct Network: Sendable {
        /// A preset; nil for the network that there is.
        let name: String?
        /// nil for all clients.
        let device: String?
        /// Seconds since 1970; nil without an end.
        let until: Int64?
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
    var mocks = MockSwitches()
    var networks: [Network] = []

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
        for entry in unlocked {
            let left = Self.secondsLeft(entry.until, atMost: 28_800)
            if left > 0 { _ = try? locks.unlock(entry.profile, seconds: left, reason: entry.reason) }
        }
    }

    /// Chooses the networks that were chosen, for the rest of their time.
    func choose(_ networks: Networks) {
        for entry in self.networks {
            let left = entry.until.map { Self.secondsLeft($0, atMost: Networks.allowed.upperBound) }
            guard left != 0 else { continue }
            let conditions = entry.name.flatMap { NetworkConditions.preset($0) }
            if conditions != nil || entry.name == nil { networks.choose(conditions, for: entry.device, seconds: left) }
        }
    }

    private static func secondsLeft(_ until: Int64, atMost most: Int) -> Int {
        Int(UntrustedNumber(until).minus(UntrustedNumber(Int64(time(nil)))).clamped(to: 0...Int64(most)))
    }

    func write(to directory: String) throws(FileFailure) {
        let json = JSONWriter.object(.pretty) { object in
            object.members([
                "pid": Int(pid), "port": port, "adminPort": adminPort, "pagesPort": pagesPort.map(Int.init),
                "profile": profile, "digest": digest,
            ])
            object.array("unlocked") { list in
                for entry in unlocked {
                    list.object(["profile": entry.profile, "reason": entry.reason, "until": entry.until])
                }
            }
            object.array("mocks", mocks.write)
            object.array("networks") { list in
                for entry in networks {
                    list.object {
                        $0.members(["network": entry.name, "device": entry.device])
                        $0.member("until", entry.until.map { Int($0) })
                    }
                }
            }
        }
        try Files.write(json + [UInt8(ascii: "\n")], to: Self.path(port, directory), mode: 0o600)
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
        mocks.add(value["mocks"])
        networks = (value["networks"]?.array ?? []).map { entry in
            Network(
                name: entry["network"]?.string, device: entry["device"]?.string, until: entry["until"]?.number?.int64)
        }
    }
}
