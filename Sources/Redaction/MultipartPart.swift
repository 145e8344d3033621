import Bytes

/// The kind of one part of a multipart body.
struct MultipartPart {
    private indirect enum Content {
        case secret(SecretValue)
        case body(BodyRedaction)
    }

    private var content: Content

    /// A part whose fields were too long to be read: all of it is hidden.
    init(hiding core: RedactionCore) {
        content = .secret(SecretValue(name: Array("part".utf8), core: core))
    }

    /// What stands before or behind the parts, or is none.
    init(type: [UInt8], core: RedactionCore, depth: Int) {
        content = .body(BodyRedaction(contentType: type, core: core, depth: depth + 1))
    }

    /// By the part's fields: those of `head`, each with its line break.
    init(head: [UInt8], core: RedactionCore, depth: Int) {
        var (partName, type): ([UInt8], [UInt8]) = ([], Array("text/plain".utf8))
        var beginsInside = false
        for line in head.split(separator: 0x0A) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let name = Self.trimmed(line[..<colon])
            let field = name.span
            let value = Array(line[(colon + 1)...])
            if field.spells("content-disposition") {
                partName = Self.name(MediaType.parameters(of: value))
            } else if field.spells("content-type") {
                type = value
            } else if field.spells("content-range") {
                beginsInside = beginsInside || PartialBody.beginsInside(contentRange: value)
            }
        }
        if core.names.contains(partName, in: .parameter) {
            content = .secret(SecretValue(name: partName, core: core))
        } else {
            if beginsInside { type += PartialBody.mark }
            content = .body(BodyRedaction(contentType: type, core: core, depth: depth + 1))
        }
    }

    /// The name of a part; `name*` (RFC 5987) goes before it, as any part of it may be escaped.
    private static func name(_ parameters: [(name: String, value: [UInt8])]) -> [UInt8] {
        guard let extended = parameters.first(where: { $0.name.hasPrefix("name*") })?.value else {
            return parameters.first { $0.name == "name" }?.value ?? []
        }
        let text = extended.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        return CredentialLook.plain(Array(text.last ?? []))
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let range = bytes.span.trimmed(0..<bytes.count)
        return bytes.dropFirst(range.lowerBound).prefix(range.count)
    }

    mutating func redact(_ bytes: Span<UInt8>, into out: inout [UInt8]) {
        switch content {
        case .secret(var secret):
            secret.append(bytes)
            content = .secret(secret)
        case .body(var body):
            body.redact(bytes, into: &out)
            content = .body(body)
        }
    }

    mutating func finish(into out: inout [UInt8]) {
        switch content {
        case .secret(var secret): secret.finish(.plain, into: &out)
        case .body(var body): body.finish(into: &out)
        }
    }
}
