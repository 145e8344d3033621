import Bytes

/// The store's redaction filter; caches repeated texts.
public final class RecordingRedaction: RecordingFilter {
    /// The mark of the type of Shunt's own error pages, which may quote any bytes.
    public static let pageType = Array("text/x-shunt-page".utf8)

    /// Enough for the profiles with rules of their own, and those of earlier reloads that are still in use.
    private static let maxProfiles = 64

    private let key: [UInt8]
    private let rules: RedactionRules
    private let core: RedactionCore
    private let memo = RedactionCache()
    private let heads: HeadRedaction
    private var profiles: [ObjectIdentifier: (of: ProfileRedaction, filter: RecordingRedaction)] = [:]

    public init(key: [UInt8], rules: RedactionRules) {
        (self.key, self.rules) = (key, rules)
        core = Redactor(key: key, rules: rules).core
        heads = HeadRedaction(core: core, memo: memo)
    }

    public func filter(_ profile: ProfileRedaction?) -> any RecordingFilter {
        guard let profile else { return self }
        if let known = profiles[ObjectIdentifier(profile)] { return known.filter }
        if profiles.count >= Self.maxProfiles { profiles.removeAll() }
        let filter = RecordingRedaction(key: key, rules: rules.merging(profile.rules))
        profiles[ObjectIdentifier(profile)] = (profile, filter)
        return filter
    }

    public func redact(url: Span<UInt8>, into out: inout [UInt8]) {
        heads.redact(url: url, into: &out)
    }

    public func redact(head: Span<UInt8>, into out: inout [UInt8]) {
        heads.redact(head, into: &out)
    }

    public func redact(trailers: Span<UInt8>, into out: inout [UInt8]) {
        heads.redactFields(trailers, from: 0, into: &out)
    }

    public func redact(message: Span<UInt8>, isText: Bool, into out: inout [UInt8]) {
        let type = isText ? Array("application/json".utf8) : Array("application/octet-stream".utf8)
        var body = BodyRedaction(contentType: type, core: core, memo: memo)
        body.redactAll(message, into: &out)
    }

    public func redact(text: Span<UInt8>, isCut: Bool, into out: inout [UInt8]) {
        TextRedaction(core: core, isCut: isCut).redact(text, 0..<text.count, into: &out)
    }

    public func remembering(_ texts: Span<UInt8>, into out: inout [UInt8], _ redact: (inout [UInt8]) -> Void) {
        heads.remembering(texts, 0..<texts.count, .facts, into: &out, redact)
    }

    public func redact(body: Span<UInt8>, contentType: [UInt8]?, into out: inout [UInt8]) {
        var redaction = BodyRedaction(contentType: contentType ?? [], core: core, memo: memo)
        redaction.redactAll(body, into: &out)
    }

    public func bodyFilter(contentType: ArraySlice<UInt8>?) -> (any BodyFilter)? {
        BodyFilterOfType(
            redaction: BodyRedaction(contentType: contentType.map { Array($0) } ?? [], core: core, memo: memo))
    }
}

private struct BodyFilterOfType: BodyFilter {
    var redaction: BodyRedaction

    mutating func filter(_ piece: Span<UInt8>, into out: inout [UInt8]) { redaction.redact(piece, into: &out) }
    mutating func finish(into out: inout [UInt8]) { redaction.finish(into: &out) }
}
