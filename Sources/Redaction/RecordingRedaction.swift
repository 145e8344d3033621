import Bytes

/// Replaces secrets before anything is stored or logged, and caches repeated texts; confined to its owner's thread.
public final class RecordingRedaction {
    /// The mark of the type of Shunt's own error pages, which may quote any bytes.
    public static let pageType = Array("text/x-shunt-page".utf8)

    /// Enough for the profiles with rules of their own, and those of earlier reloads that are still in use.
    private static let maxProfiles = 64

    private let key: [UInt8]
    private let rules: RedactionRules
    private let core: RedactionCore
    private let heads: HeadRedaction
    private var profiles: [ObjectIdentifier: (of: ProfileRedaction, filter: RecordingRedaction)] = [:]
    /// All secrets are replaced, and not ``OwnSecrets`` alone.
    package let isComplete: Bool
    private var own = KnownSecrets()
    private var remembered = 0

    public init(key: [UInt8], rules: RedactionRules) {
        (self.key, self.rules, isComplete) = (key, rules, true)
        core = Redactor(key: key, rules: rules).core
        heads = HeadRedaction(core: core, memo: LineMemo())
    }

    /// One that replaces ``OwnSecrets`` alone.
    package init(ownSecretsBy key: [UInt8]) {
        (self.key, rules, isComplete) = (key, RedactionRules(), false)
        core = Redactor(key: key).core
        heads = HeadRedaction(core: core)
    }

    /// The same for exchanges of a profile, which may have rules of its own.
    public func filter(_ profile: ProfileRedaction?) -> RecordingRedaction {
        guard let profile, isComplete else { return self }
        if let known = profiles[ObjectIdentifier(profile)] { return known.filter }
        if profiles.count >= Self.maxProfiles { profiles.removeAll() }
        let filter = RecordingRedaction(key: key, rules: rules.merging(profile.rules))
        profiles[ObjectIdentifier(profile)] = (profile, filter)
        return filter
    }

    public func redact(url: Span<UInt8>, into out: inout [UInt8]) {
        let start = out.count
        if isComplete { heads.redact(url: url, into: &out) } else { out.append(url, 0..<url.count) }
        replaceOwn(in: &out, from: start, .escaped)
    }

    /// A request's or a response's head, start line and fields.
    public func redact(head: Span<UInt8>, into out: inout [UInt8]) {
        let start = out.count
        if isComplete { heads.redact(head, into: &out) } else { out.append(head, 0..<head.count) }
        own.current()?.replace(inHead: &out, from: start, core)
    }

    /// Field lines alone.
    public func redact(trailers: Span<UInt8>, into out: inout [UInt8]) {
        let start = out.count
        if isComplete {
            heads.redactFields(trailers, from: 0, into: &out)
        } else {
            out.append(trailers, 0..<trailers.count)
        }
        replaceOwn(in: &out, from: start)
    }

    public func redact(message: Span<UInt8>, isText: Bool, into out: inout [UInt8]) {
        redact(
            body: message, contentType: Array((isText ? "application/json" : "application/octet-stream").utf8),
            into: &out)
    }

    /// A text that may quote any bytes, perhaps cut off: a failure's message, a reason, a name.
    public func redact(text: Span<UInt8>, isCut: Bool, into out: inout [UInt8]) {
        let start = out.count
        if isComplete {
            TextRedaction(core: core, isCut: isCut).redact(text, 0..<text.count, into: &out)
        } else {
            out.append(text, 0..<text.count)
        }
        replaceOwn(in: &out, from: start)
    }

    private func replaceOwn(in out: inout [UInt8], from start: Int, _ style: SecretValue.Style = .plain) {
        _ = own.current()?.replace(in: &out, from: start, style, core)
    }

    /// Appends the result of `redact` for repeated texts; it must depend on the text and ``OwnSecrets`` alone.
    ///
    /// - Parameter areLists: they are the lists of an exchange, which equal bytes of other facts are not.
    package func remembering(
        _ texts: Span<UInt8>, areLists: Bool, into out: inout [UInt8], _ redact: (inout [UInt8]) -> Void
    ) {
        if remembered != OwnSecrets.number {
            remembered = OwnSecrets.number
            heads.forget()
        }
        heads.remembering(texts, 0..<texts.count, areLists ? .lists : .facts, into: &out, redact)
    }

    /// A body that is complete, without content codings.
    public func redact(body: Span<UInt8>, contentType: [UInt8]?, into out: inout [UInt8]) {
        var redaction = self.body(contentType: contentType)
        redaction.redactAll(body, into: &out)
    }

    /// The reader of a body without content codings, which comes in pieces.
    package func body(contentType: [UInt8]?) -> BodyRedaction {
        isComplete ? BodyRedaction(contentType: contentType ?? [], core: core) : BodyRedaction(unchanged: core)
    }
}
