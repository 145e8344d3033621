import Bytes
import Platform

/// One line of the audit trail: a change, or an attempt that was refused.
package typealias AuditEntry = Record<API.Audit>

extension AuditEntry {
    /// - Parameters:
    ///   - who: a user's name, `owner`, or `device` for one that chose at its page; empty for a client without a valid
    ///     token.
    ///   - token: the public part of the user's token.
    ///   - through: `api`, `inspector`, `page` (of devices) or `command`.
    ///   - action: as the path of the route, such as `use`, `store/unlock` and `traffic/clear`.
    ///   - from: the client's address.
    ///   - refused: why it was refused; nil for what was done.
    package init(
        who: String, token: String? = nil, through: String, action: String, target: String? = nil,
        before: String? = nil, after: String? = nil, from: String? = nil, refused: String? = nil
    ) {
        self.init {
            $0.time = CalendarTime.text(wallClock())
            ($0.who, $0.token, $0.through, $0.action) = (who, token, through, action)
            ($0.target, $0.before, $0.after) = (target, before, after)
            ($0.from, $0.refused) = (from, refused)
        }
    }

    /// Bytes of a text that are kept.
    private static let longest = 500

    /// Every text made harmless by `clean`, and cut.
    func mapped(_ clean: (String) -> String) -> AuditEntry {
        func short(_ text: String) -> String {
            let clean = clean(text)
            return clean.utf8.count <= Self.longest ? clean : clean.prefix(Self.longest / 4) + "…"
        }
        var entry = self
        (entry.who, entry.action) = (short(self.who), short(self.action))
        (entry.target, entry.before, entry.after) = (
            self.target.map(short), self.before.map(short), self.after.map(short)
        )
        (entry.from, entry.refused) = (self.from.map(short), self.refused.map(short))
        return entry
    }

    package static func list(_ entries: [AuditEntry]) -> Record<API.AuditTrail> { .init { $0.entries = entries } }
}
