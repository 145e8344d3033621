import Engine
import Platform
import Reactor
import Synchronization

// Who has changed what.
extension AdminHandler {
    func entry(
        _ request: HandledRequest, _ action: String, _ caller: Caller, _ facts: AuditNote.Facts, refused: String? = nil
    ) -> AuditEntry {
        AuditEntry(
            who: caller.name, token: caller.token, through: caller.isInspector ? "inspector" : "api", action: action,
            target: facts.target, before: facts.before, after: facts.after, from: request.client?.unmapped.host,
            refused: refused)
    }

    /// Writes a change down before it is made: what cannot be written down is refused.
    func writeAhead(_ call: AdminCall) throws {
        guard let audit = facts.audit else { return }
        do throws(FileFailure) {
            try audit.append(entry(call.request, call.route.action, call.caller, call.note.facts))
            call.note.didWrite()
        } catch {
            throw AdminRefusal(
                507, "this cannot be written down in the audit trail, so it is not done: \(error)",
                advice: "Make room on the disk that has .shunt, or see whether Shunt may write there.")
        }
    }

    /// Writes down what has happened; a failure is told, and changes nothing.
    func write(_ entry: AuditEntry) {
        guard let audit = facts.audit else { return }
        do throws(FileFailure) { try audit.append(entry) } catch { actions.didFailToAudit("\(error)") }
    }

    /// Writes down that a client without a valid token tried something; such lines are limited, so that they do not
    /// displace others.
    func writeStranger(_ request: HandledRequest, _ route: AdminRoute, _ refusal: AdminRefusal) {
        guard strangers.withLock({ $0.admits(true, now: .now()) }) else { return }
        write(entry(request, route.action, .nobody, AuditNote.Facts(), refused: refusal.message))
    }

    func listAudit(_ query: Record<API.AuditOf>) throws -> Record<API.AuditTrail> {
        guard let audit = facts.audit else { throw AdminRefusal(409, "this Shunt keeps no audit trail") }
        let since = Int64(query.since) * 1_000_000
        return AuditEntry.list(try audit.entries(since: since, user: query.user, limit: query.limit))
    }
}
