import Cluster
import Engine
import JSON
import Profiles

// Profiles of kind `production` are read-only unless they are unlocked for a while.
extension AdminHandler {
    func unlock(_ body: Record<API.Unlock>, _ call: AdminCall) async throws -> Record<API.Unlocked> {
        let profile = try guarded(body.profile)
        let (seconds, reason) = (body.seconds, body.reason)
        let patience = try patience(body.wait, body.waitSeconds)
        call.note.add(target: profile.name, before: lockState(profile.name), after: "unlocked \(seconds) s: \(reason)")
        try writeAhead(call)
        let (entry, snapshot) = try await changes.make { board in
            do throws(UnlockFailure) { return try board.unlock(profile.name, seconds: seconds, reason: reason) } catch {
                throw Self.refusal(error, seconds)
            }
        }
        if snapshot == nil { actions.didUnlock(entry) }
        let takeover = await takeover(snapshot, patience)
        return Record {
            $0.profile = entry.profile
            $0.seconds = entry.seconds
            $0.reason = entry.reason
            $0.cluster = Record(takeover, of: snapshot)
        }
    }

    private static func refusal(_ failure: UnlockFailure, _ seconds: Int) -> AdminRefusal {
        switch failure {
        case .seconds(let allowed):
            AdminRefusal(
                400, "nothing is unlocked for \(seconds) s",
                advice: "Give a time from \(allowed.lowerBound) s to \(allowed.upperBound / 3600) h.")
        case .noReason: AdminRefusal(400, "the reason is blank", advice: "Say what has to be written, and why.")
        }
    }

    /// Takes effect here at once, also where the other nodes of a cluster cannot be reached.
    func lock(_ body: Record<API.Lock>, _ call: AdminCall) async throws -> Record<API.Locked> {
        let name = body.profile
        // A node of a cluster can lock what others have unlocked, also where it has no such profile.
        if !proxy.locks.list().contains(where: { $0.profile == name }) { _ = try profile(named: name) }
        let patience = try patience(body.wait, body.waitSeconds)
        call.note.add(target: name, before: lockState(name), after: "locked")
        facts.cluster?.willLock(name)
        let entry = proxy.locks.lock(name)
        if let entry { actions.didLock(entry) }
        var snapshot: ClusterSnapshot?
        if let cluster = facts.cluster {
            do throws(ClusterRefusal) { snapshot = try await cluster.lock(name) } catch {
                throw AdminRefusal(
                    500, "profile “\(name)” is locked here, and may be unlocked elsewhere: \(error.message)",
                    advice: error.advice)
            }
        }
        let takeover = await takeover(snapshot, patience)
        let isWaiting = facts.cluster != nil && snapshot == nil
        return Record {
            $0.profile = name
            $0.wasUnlocked = entry != nil
            $0.cluster = Record(takeover, of: snapshot)
            // Locked on this node alone, until the database is back.
            $0.isWaiting = isWaiting ? true : nil
        }
    }

    private func lockState(_ profile: String) -> String {
        proxy.locks.list().first { $0.profile == profile }.map { "unlocked \($0.secondsLeft()) s: \($0.reason)" }
            ?? "locked"
    }

    /// The profile of that name if it can be unlocked: only profiles of kind production are locked.
    private func guarded(_ name: String) throws -> Profile {
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
