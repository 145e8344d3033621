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
            tell("paired", "device \(device.name) was paired\(device.profile.map { ", with profile \($0)" } ?? "")") {
                $0.member("device", device.name)
                $0.member("address", device.address?.host)
                $0.member("profile", device.profile)
            }
        case .assigned(let device):
            let goes = device.profile.map { "by profile \($0)" } ?? "with the active profile"
            tell("device", "device \(device.name) goes \(goes) now") {
                $0.member("device", device.name)
                $0.member("address", device.address?.host)
                $0.member("profile", device.profile)
            }
        case .forgotten(let name):
            tell("forgotten", "device \(name) is forgotten") { $0.member("device", name) }
        case .app(let name, let profile):
            let goes = profile.map { "by profile \($0)" } ?? "as other clients do"
            tell("app", "program \(name) goes \(goes) now") {
                $0.member("app", name)
                $0.member("profile", profile)
            }
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
        tell("mocks", "mocks \(what)\(device.map { " for \($0)" } ?? ""): \(mocks)") {
            $0.member("state", change.rawValue)
            $0.member("mocks", mocks)
            $0.member("device", device)
        }
    }

    /// Tells of a chosen network, and of its end when its time is over.
    func tellNetwork(_ text: String, _ choice: NetworkChoice?, _ networks: Networks) {
        tell("network", text) {
            $0.member("network", choice.map { $0.conditions?.name ?? "off" } ?? "default")
            $0.member("device", choice?.device)
            if let seconds = choice?.secondsLeft() { $0.member("seconds", seconds) }
        }
        guard let until = choice?.until else { return }
        Task {
            while true {
                let now = Instant.now()
                guard until > now else { break }
                try? await Task.sleep(for: .nanoseconds(Int64(clamping: until - now)))
            }
            // Nothing, if another one was chosen in the meantime.
            for over in networks.expire() {
                tell("network", "the time of network \(over.conditions?.name ?? "off") is over") {
                    $0.member("network", "default")
                    $0.member("device", over.device)
                }
            }
        }
    }

    /// Tells of a limit that will be in the way one day; then connections wait without a word.
    func tellIfFew(descriptors: UInt64?) {
        guard let descriptors, descriptors < ProcessLimits.fewDescriptors else { return }
        warn(
            "limit",
            "the system lets Shunt open \(descriptors) files and connections at once: an exchange takes two, and what is "
                + "over waits. Raise the hard limit of this shell (`ulimit -Hn`), or that of the service or container."
        ) { $0.member("descriptors", descriptors) }
    }

    /// Tells of an unlocking, and of its end when its time is over.
    /// - Parameter node: the one of the cluster that has told of it; it may have been unlocked for a while.
    func tellUnlocked(_ entry: Unlocking, _ locks: Locks, by node: String? = nil) {
        let seconds = node == nil ? entry.seconds : entry.secondsLeft()
        warn(
            "unlocked",
            "profile \(entry.profile) may be written to for \(Words.span(seconds))"
                + ": \(entry.reason)" + (node.map { " (by node \($0))" } ?? "")
        ) {
            $0.member("profile", entry.profile)
            $0.member("reason", entry.reason)
            $0.member("seconds", seconds)
            if let node { $0.member("node", node) }
        }
        Task {
            while true {
                let now = Instant.now()
                guard entry.until > now else { break }
                try? await Task.sleep(for: .nanoseconds(Int64(clamping: entry.until - now)))
            }
            // Nothing, if it was locked or unlocked anew in the meantime.
            for over in locks.expire() { tellLocked(over, "its time is over") }
        }
    }

    /// Tells what became of an origin's program.
    func tell(_ program: ProgramStatus) {
        let members = { (object: inout JSONWriter) in
            object.member("origin", program.origin)
            object.member("state", program.phase)
            if let pid = program.pid { object.member("pid", Int(pid)) }
            if program.phase == "paused" { object.member("end", program.end) }
        }
        let text = "origin \(program.origin): \(program.news)"
        if program.phase == "paused" {
            warn("program", "\(text); `shunt logs --origin \(program.origin)` shows its output", json: members)
        } else {
            tell("program", text, json: members)
        }
    }

    func tellUnlockedStore(_ seconds: Int) {
        warn("store-unlocked", "all of the sealed store can be read here for \(Words.span(seconds))") {
            $0.member("seconds", seconds)
        }
    }

    func tellLockedStore(_ why: String) {
        tell("store-locked", "of the sealed store only the newest part can be read here: \(why)") {
            $0.member("why", why)
        }
    }

    func tellLocked(_ entry: Unlocking, _ why: String) {
        warn("locked", "profile \(entry.profile) is read-only again: \(why)") {
            $0.member("profile", entry.profile)
            $0.member("reason", entry.reason)
            $0.member("seconds", entry.seconds)
            $0.member("why", why)
        }
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
        warn("problem", "a change could not be written down in the audit trail: \(reason)") {
            $0.member("message", reason)
        }
    }
}
