import Exchanges
public import Redaction
public import Store

/// Replaces secrets in what leaves a store to be shared, also where the store was recorded with secrets in clear.
///
/// Under the store's own key, so that digests are those of the store; what is replaced already stays.
public final class SharingRules {
    private let key: [UInt8]
    private let rules: [String: RedactionRules]
    let calls: CallSchemas
    private var known: [String: (facts: RecordingRedaction, parts: PartRedaction)] = [:]

    /// - Parameters:
    ///   - rules: those of profiles, by their names.
    ///   - calls: by which messages of gRPC calls are shown.
    public init(
        _ reader: TrafficReader, rules: [String: RedactionRules] = [:], calls: CallSchemas = .none
    ) throws(StoreFailure) {
        key = try reader.redactionKey() ?? (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        (self.rules, self.calls) = (rules, calls)
    }

    /// For exchanges of a profile.
    func redaction(_ profile: String?) -> (facts: RecordingRedaction, parts: PartRedaction) {
        let name = profile.flatMap { rules[$0] == nil ? nil : $0 } ?? ""
        if let found = known[name] { return found }
        let own = rules[name] ?? RedactionRules()
        let made = (RecordingRedaction(key: key, rules: own), PartRedaction(Redactor(key: key, rules: own)))
        known[name] = made
        return made
    }

    /// The same of a text that may quote anything.
    package func redact(text: String) -> String { redaction(nil).parts.redactor.redact(text: text) }
}
