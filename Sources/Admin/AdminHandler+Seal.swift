import Engine
import JSON
import Store

// A sealed store shows what is older than its window only while somebody has lent an identity.
extension AdminHandler {
    func unlockStore(_ body: Record<API.StoreUnlock>, _ call: AdminCall) async throws -> Record<API.StoreUnlocked> {
        let desk = try sealedDesk()
        let (path, texts, seconds) = (desk.path, body.identities, body.seconds)
        guard Locks.allowed.contains(seconds) else {
            throw AdminRefusal(
                400, "the store is not unlocked for \(seconds) s",
                advice: "Give a time from \(Locks.allowed.lowerBound) s to \(Locks.allowed.upperBound / 3600) h.")
        }
        call.note.add(target: "store", after: "unlocked \(seconds) s")
        try writeAhead(call)
        let until = ContinuousClock.now + .seconds(seconds)
        try await desk.ask {
            do { try SealedStores.unlock(path, texts: texts, until: until) } catch let error as StoreFailure {
                guard error.kind == .sealed else { throw error }
                throw AdminRefusal(
                    422, error.message,
                    advice: "Name the identities of all recipients that its segments were sealed to.")
            }
        }
        actions.didUnlockStore(seconds)
        Task { [didLockStore = actions.didLockStore] in
            while until > .now { try? await Task.sleep(until: until, clock: .continuous) }
            // It may have been locked, or unlocked anew, in the meantime: then nothing is to be done.
            if SealedStores.lock(path, ifOver: true) { didLockStore("its time is over") }
        }
        return Record { $0.seconds = seconds }
    }

    func lockStore() throws -> Record<API.StoreLocked> {
        let wasUnlocked = SealedStores.lock(try sealedDesk().path)
        if wasUnlocked { actions.didLockStore("by `shunt keys lock`") }
        return Record { $0.wasUnlocked = wasUnlocked }
    }

    private func sealedDesk() throws -> StoreQueries {
        let desk = try desk()
        guard SealedStores.isSealed(desk.path) else {
            throw AdminRefusal(409, "the store is not sealed", advice: "All of it can be read without an identity.")
        }
        return desk
    }
}
