import Age
import JSON

/// What a profile says about sealing the store, which all profiles share: with one that seals it, all are sealed.
public struct StoreSealing: Hashable, Sendable {
    /// `age1…` or `ssh-…`, as they are written; empty for those beside the profiles.
    public let recipients: [String]

    /// What several profiles say together; nil where none of them seals.
    init?(_ all: [StoreSealing]) {
        guard !all.isEmpty else { return nil }
        var seen: Set<String> = []
        recipients = all.flatMap(\.recipients).filter { seen.insert($0).inserted }
    }

    private init(recipients: [String]) { self.recipients = recipients }

    /// What stands under `store`; nil where it does not seal, and after a report.
    init?(_ profile: Fields) {
        guard let fields = profile.fields("store", Self.keys) else { return nil }
        let one = "a recipient like \"age1…\" or \"ssh-ed25519 …\""
        var recipients: [String] = []
        for (text, place) in fields.texts("recipients", one: one) {
            do throws(AgeFailure) {
                _ = try RecipientText.recipient(text)
                recipients.append(text)
            } catch {
                fields.report(
                    place, "a recipient cannot be used: \(error.message)", expected: one,
                    hint: "`shunt keys new` makes a pair of keys and prints the recipient")
            }
        }
        guard let seals = fields.bool("seal") else {
            if fields["seal"] == nil {
                fields.report(fields.place, "\"store\" without \"seal\"", expected: "\"seal\": true")
            }
            return nil
        }
        guard seals else {
            if let member = fields.member("recipients") {
                fields.report(member, "\"recipients\" of a store that is not sealed", expected: "\"seal\": true")
            }
            return nil
        }
        self.init(recipients: recipients)
    }
}
