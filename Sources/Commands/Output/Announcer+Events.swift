import Admin
import Engine
import JSON
import Platform
import Profiles
import Reactor

// What happens to devices and locks, in the log.
extension Announcer {
    func tell(_ event: DeviceEvent) {
        switch event {
        case .paired(let device):
            tell(
                .paired, "device \(device.name) was paired\(device.profile.map { ", with profile \($0)" } ?? "")",
                ["device": device.name, "address": device.address?.host, "profile": device.profile])
        case .assigned(let device):
            let goes = device.profile.map { "by profile \($0)" } ?? "with the active profile"
            tell(
                .device, "device \(device.name) goes \(goes) now",
                ["device": device.name, "address": device.address?.host, "profile": device.profile])
        case .forgotten(let name):
            tell(.forgotten, "device \(name) is forgotten", ["device": name])
        case .app(let name, let profile):
            let goes = profile.map { "by profile \($0)" } ?? "as other clients do"
            tell(.app, "program \(name) goes \(goes) now", ["app": name, "profile": profile])
        }
    }

    /// - Parameter mocks: their names.
    func tellMocks(_ change: MockChange, _ mocks: String, _ device: String?) {
        let what =
            switch change {
            case .on: "on"
            case .off: "off"
            case .only: "the only ones on"
            case .reset: "reset"
            }
        tell(
            .mocks, "mocks \(what)\(device.map { " for \($0)" } ?? ""): \(mocks)",
            ["state": change.rawValue, "mocks": mocks, "device": device])
    }

    /// Tells of a chosen network, and of its end when its time is over.
    func tellNetwork(_ text: String, _ choice: NetworkChoice?, _ networks: Networks) {
        let name = choice.map { $0.conditions?.name ?? "off" } ?? "default"
        let members: JSONMembers = ["network": name, "device": choice?.device]
        tell(.network, text, members.with("seconds", choice?.secondsLeft()))
        guard let until = choice?.until else { return }
        Task {
            await Self.wait(until: until)
            // Nothing, if another one was chosen in the meantime.
            for over in networks.expire() {
                tell(
                    .network, "the time of network \(over.conditions?.name ?? "off") is over",
                    ["network": "default", "device": over.device])
            }
        }
    }

    /// Tells of a limit that will be in the way one day; then connections wait without a word.
    func tellIfFew(descriptors: UInt64?) {
        guard let descriptors, descriptors < ProcessLimits.fewDescriptors else { return }
        warn(
            .limit,
            "the system lets Shunt open \(descriptors) files and connections at once: an exchange takes two, and what is "
                + "over waits. Raise the hard limit of this shell (`ulimit -Hn`), or that of the service or container.",
            ["descriptors": descriptors])
    }

    /// Tells of an unlocking, and of its end when its time is over.
    /// - Parameter node: the one of the cluster that has told of it; it may have been unlocked for a while.
    func tellUnlocked(_ entry: Unlocking, _ locks: Locks, by node: String? = nil) {
        let seconds = node == nil ? entry.seconds : entry.secondsLeft()
        let members: JSONMembers = ["profile": entry.profile, "reason": entry.reason, "seconds": seconds]
        warn(
            .unlocked,
            "profile \(entry.profile) may be written to for \(Words.span(seconds))"
                + ": \(entry.reason)" + (node.map { " (by node \($0))" } ?? ""),
            members.with("node", node))
        Task {
            await Self.wait(until: entry.until)
            // Nothing, if it was locked or unlocked anew in the meantime.
            for over in locks.expire() { tellLocked(over, "its time is over") }
        }
    }

    private static func wait(until end: Instant) async {
        while true {
            let now = Instant.now()
            guard end > now else { return }
            try? await Task.sleep(for: .nanoseconds(Int64(clamping: end - now)))
        }
    }

    /// Tells what became of an origin's program.
    func tell(_ program: ProgramStatus) {
        let members = (["origin": program.origin, "state": program.phase] as JSONMembers).with("pid", program.pid)
        let text = "origin \(program.origin): \(program.news)"
        guard program.phase == "paused" else { return tell(.program, text, members) }
        warn(
            .program, "\(text); `shunt logs --origin \(program.origin)` shows its output",
            members.with("end", program.end as String?))
    }

    func tellUnlockedStore(_ seconds: Int) {
        warn(
            .storeUnlocked, "all of the sealed store can be read here for \(Words.span(seconds))",
            ["seconds": seconds])
    }

    func tellLockedStore(_ why: String) {
        tell(.storeLocked, "of the sealed store only the newest part can be read here: \(why)", ["why": why])
    }

    func tellLocked(_ entry: Unlocking, _ why: String) {
        warn(
            .locked, "profile \(entry.profile) is read-only again: \(why)",
            ["profile": entry.profile, "reason": entry.reason, "seconds": entry.seconds, "why": why])
    }
}

// Changes that have to be written down.
extension Announcer {
    /// Writes down what a device has changed at its page.
    func write(_ event: DeviceEvent, _ audit: AuditLog) {
        let entry =
            switch event {
            case .paired(let device):
                AuditEntry(
                    who: device.user ?? "device", through: "page", action: "pair", target: "device \(device.name)",
                    after: device.profile ?? "the active one", from: device.address?.host)
            case .assigned(let device):
                AuditEntry(
                    who: device.user ?? "device", through: "page", action: "use", target: "device \(device.name)",
                    after: device.profile ?? "the active one", from: device.address?.host)
            case .forgotten(let name):
                AuditEntry(who: "device", through: "page", action: "devices/forget", target: "device \(name)")
            case .app(let name, let profile):
                AuditEntry(
                    who: "device", through: "page", action: "use", target: "app \(name)",
                    after: profile ?? "as other clients")
            }
        do throws(FileFailure) { try audit.append(entry) } catch { tellUnaudited("\(error)") }
    }

    func tellUnaudited(_ reason: String) {
        warn(.problem, "a change could not be written down in the audit trail: \(reason)", ["message": reason])
    }
}
