public import Redaction

extension StoreSettings {
    /// Replaces secrets before anything is written.
    public mutating func redact(_ rules: RedactionRules = RedactionRules()) {
        filter = { key in RecordingRedaction(key: key, rules: rules) }
    }
}
