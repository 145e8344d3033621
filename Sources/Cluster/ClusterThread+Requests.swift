import Postgres
import Reactor
import Synchronization

// Requests.
extension ClusterThread {
    private static let attempts = 10

    /// Changes the state in the database, where no other node was faster, and takes it over.
    func change(
        _ database: ClusterDatabase, asked: Int64, _ body: ClusterMember.Change
    ) throws(PostgresFailure) -> Result<ClusterSnapshot, ClusterRefusal> {
        for _ in 0..<Self.attempts {
            isWriting = false
            let old: ClusterSnapshot
            switch try database.read(known: known?.change) {
            case .other(let snapshot): old = snapshot
            case .same(let databaseNow, let asked):
                guard let known else { return .failure(.busy) }
                old = known.at(databaseNow: databaseNow, asked: asked)
            case .none:
                try look(database)
                continue
            case .unreadable(let why): return .failure(.unreadable(why))
            }
            var state = old.state
            let moment = ClusterMoment(
                revision: old.revision, asked: asked, databaseNow: old.databaseNow, node: member.settings.node)
            do throws(ClusterRefusal) { try body(&state, moment) } catch { return .failure(error) }
            guard state != old.state else {
                take(old)
                try? tell(database)
                return .success(old)
            }
            state.prune(databaseNow: old.databaseNow)
            guard state.json.count <= ClusterState.maxBytes else { return .failure(.tooLarge) }
            isWriting = true
            if let new = try database.write(state, over: old) {
                isWriting = false
                take(new)
                // If this fails the connection is lost, which the next statement finds out: the change counts.
                try? tell(database)
                return .success(new)
            }
        }
        return .failure(.busy)
    }

    /// Does what was asked for; without a database most is refused.
    func serve(_ database: ClusterDatabase?) {
        while let request = next() {
            switch request {
            case .stop(let continuation): end(continuation)
            case _ where self.database == nil: refuse(request, .away(problem))
            case .change(let body, let asked, let expires, let continuation):
                guard Instant.now() < expires else {
                    refuse(request, .away("the request has waited too long"))
                    continue
                }
                var result = Result<ClusterSnapshot, ClusterRefusal>.failure(.away(problem))
                attempt { database throws(PostgresFailure) in
                    do throws(PostgresFailure) {
                        result = try self.change(database, asked: asked, body)
                    } catch {
                        result = .failure(Self.refusal(error, self.isWriting))
                        // A statement that was refused does not end the connection.
                        if case .statement = error.kind, database.isUsable { return }
                        throw error
                    }
                }
                continuation.resume(returning: result)
            case .nodes(let continuation):
                var nodes: [ClusterNode]?
                attempt { database throws(PostgresFailure) in nodes = try database.roster().nodes }
                continuation.resume(returning: nodes)
            case .takeover(let wait, let continuation): add(wait, continuation)
            case .writeLocks(let continuation):
                attempt { database throws(PostgresFailure) in try self.writeLocks(database) }
                keepLocks()
                continuation.resume()
            }
        }
    }

    /// A restart must not forget them.
    private func keepLocks() { follower.keep(waitingLocks: member.condition.waitingLocks) }

    private var problem: String { member.condition.problem ?? "there is no connection" }

    private func next() -> ClusterMember.Request? {
        member.shared.withLock { $0.requests.isEmpty ? nil : $0.requests.removeFirst() }
    }

    private static func refusal(_ failure: PostgresFailure, _ isWriting: Bool) -> ClusterRefusal {
        switch failure.kind {
        case .statement: .database(failure.message)
        default: isWriting ? .unknown(failure.message) : .away(failure.message)
        }
    }

    func refuse(_ request: ClusterMember.Request, _ refusal: ClusterRefusal) {
        switch request {
        case .change(_, _, _, let continuation): continuation.resume(returning: .failure(refusal))
        case .nodes(let continuation): continuation.resume(returning: nil)
        case .takeover(_, let continuation): continuation.resume(returning: nil)
        case .writeLocks(let continuation):
            keepLocks()
            continuation.resume()
        case .stop(let continuation): end(continuation)
        }
    }
}
