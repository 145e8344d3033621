import Exchanges
import JSON
import Profiles
import Rewriting

/// What a route edits in messages, made ready for the data path.
final class MessageEdits: Sendable {
    private struct Rule: Sendable {
        let sender: MessageFacts.Sender?
        let condition: MessageCondition
        let edits: BodyEdits
    }

    private let rules: [Rule]

    /// nil where there are none.
    init?(_ changes: [MessageChange]) {
        if changes.isEmpty { return nil }
        rules = changes.map { change in
            Rule(
                sender: change.sender.map { $0 == .client ? .client : .origin }, condition: change.condition,
                edits: BodyEdits(change.body))
        }
    }

    private func rules(for sender: MessageFacts.Sender) -> [Rule] {
        rules.filter { $0.sender == nil || $0.sender == sender }
    }

    /// Whether messages of this sender may be edited.
    func concern(_ sender: MessageFacts.Sender) -> Bool { !rules(for: sender).isEmpty }

    /// A message is read as JSON.
    func needsJSON(_ sender: MessageFacts.Sender) -> Bool { rules(for: sender).contains { $0.condition.needsJSON } }

    /// About how many steps it takes to edit a message of that many bytes.
    func steps(over length: Int, _ sender: MessageFacts.Sender) -> Int {
        rules(for: sender).reduce(0) { $0 + length + $1.condition.steps(over: length) }
    }

    /// A text after the edits whose conditions it meets; nil where it stays as it is.
    func edited(_ text: [UInt8], from sender: MessageFacts.Sender) -> [UInt8]? {
        var current = text
        for rule in rules(for: sender) {
            let json = rule.condition.needsJSON ? try? JSONReader.read(current, dialect: .strict) : nil
            let words = String(decoding: current, as: UTF8.self)
            guard rule.condition.isMet(text: words, json: json), let next = rule.edits.edited(message: current) else {
                continue
            }
            // A text message is valid UTF-8 (RFC 6455 5.6), and an edit of bytes may break a character.
            current = Array(String(decoding: next, as: UTF8.self).utf8)
        }
        return current == text ? nil : current
    }
}
