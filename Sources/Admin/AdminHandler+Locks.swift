import Engine
import JSON
import Profiles

// Profiles of kind `production` are read-only unless they are unlocked for a while.
extension AdminHandler {
    private static let example = "{\"profile\": \"production\", \"seconds\": 600, \"reason\": \"…\"}"

    func unlock(_ call: AdminCall) throws(AdminRefusal) -> HandledResponse {
        let body = try call.body("profile", "seconds", "reason")
        let profile = try guarded(try body.text("profile", example: Self.example))
        let seconds = try body.integer("seconds", example: Self.example)
        let reason = try body.text("reason", example: Self.example)
        call.note.add(target: profile.name, before: lockState(profile.name), after: "unlocked \(seconds) s: \(reason)")
        try writeAhead(call)
        do throws(UnlockFailure) {
            let entry = try proxy.locks.unlock(profile.name, seconds: seconds, reason: reason)
            actions.didUnlock(entry)
            return .json(200) { object in
                object.member("profile", entry.profile)
                object.member("seconds", entry.seconds)
                object.member("reason", entry.reason)
            }
        } catch {
            switch error {
            case .seconds(let allowed):
                throw AdminRefusal(
                    400, "nothing is unlocked for \(seconds) s",
                    advice: "Give a time from \(allowed.lowerBound) s to \(allowed.upperBound / 3600) h.")
            case .noReason:
                throw AdminRefusal(400, "the reason is blank", advice: "Say what has to be written, and why.")
            }
        }
    }

    func lock(_ call: AdminCall) throws(AdminRefusal) -> HandledResponse {
        let body = try call.body("profile")
        let profile = try profile(named: try body.text("profile", example: "{\"profile\": \"production\"}"))
        call.note.add(target: profile.name, before: lockState(profile.name), after: "locked")
        let entry = proxy.locks.lock(profile.name)
        if let entry { actions.didLock(entry) }
        return .json(200) { object in
            object.member("profile", profile.name)
            object.member("wasUnlocked", entry != nil)
        }
    }

    private func lockState(_ profile: String) -> String {
        proxy.locks.list().first { $0.profile == profile }.map { "unlocked \($0.secondsLeft()) s: \($0.reason)" }
            ?? "locked"
    }

    /// The profile of that name if it can be unlocked: only profiles of kind production are locked.
    private func guarded(_ name: String) throws(AdminRefusal) -> Profile {
        let profile = try profile(named: name)
        guard profile.kind == .production else {
            let reached = proxy.profiles?.library.productionProfiles(reachedBy: profile) ?? []
            throw AdminRefusal(
                409, "profile “\(name)” is of kind \(profile.kind.rawValue), which is not read-only",
                advice: reached.isEmpty
                    ? "Only profiles of kind production are locked."
                    : "Its requests arrive at origins of \(reached.joined(separator: " and ")), which can be unlocked.")
        }
        return profile
    }
}
