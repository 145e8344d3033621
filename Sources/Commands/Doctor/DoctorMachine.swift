import Admin
import Platform
import Profiles

/// Checks of what this machine does for clients.
enum DoctorMachine {
    /// Whether names below `localhost` lead here.
    static func names() -> [DoctorCheck] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        var list: UnsafeMutablePointer<addrinfo>?
        let isKnown = getaddrinfo("shunt-doctor.localhost", nil, &hints, &list) == 0
        if let list { freeaddrinfo(list) }
        guard !isKnown else { return [.ok(.dns, "*.localhost leads to this machine")] }
        return [
            .warning(
                .dns, "*.localhost is not known to this system; browsers and curl know it all the same",
                fix: "for other programs: sudo apt-get install libnss-myhostname, or shunt hosts add")
        ]
    }

    /// Whether `shunt serve` gets its port.
    static func port(_ project: Project) -> [DoctorCheck] {
        if let own = AdminFile(profilesDirectory: project.profilesDirectory).running().first {
            return [.ok(.port, "this project's Shunt runs at port \(own.port)")]
        }
        let port = ServeSettings.defaultPort
        guard PortHolder.isTaken(port) else { return [.ok(.port, "\(port) is free for shunt serve")] }
        let holder = PortHolder.find(port) ?? "another process"
        return [
            .warning(
                .port, "\(port) is in use by \(holder)",
                fix: "end that process, or choose another: shunt serve --port 0")
        ]
    }
}
