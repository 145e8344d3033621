import Bytes

/// Content-Security-Policy and its Report-Only (CSP3): what would pin a client to an address goes, sources are mapped.
struct SecurityPolicy {
    /// nil leaves sources as they are; held by whoever asks.
    unowned(unsafe) let map: AddressMap?
    let removesPins: Bool
    let client: ClientName

    /// A field's value: policies with commas between them.
    func append(
        _ value: Range<Int>, of bytes: Span<UInt8>, authority: Span<UInt8>, to out: inout Buffer
    ) -> FieldOutcome {
        var (isFirst, hasContent, hasDropped) = (true, false, false)
        var start = value.lowerBound
        while true {
            let end = AddressText.first(0x2C, bytes, start..<value.upperBound)
            let mark = out.count
            guard isFirst || out.appendWhole(",") else { return .noRoom }
            // White space behind a comma that is no longer there goes with it.
            let first = isFirst && hasDropped ? AddressText.skipBlanks(bytes, start..<end) : start
            switch appendPolicy(first..<end, of: bytes, authority: authority, to: &out) {
            case .noRoom: return .noRoom
            case .emptied:
                out.truncate(to: mark)
                hasDropped = true
            case .written:
                isFirst = false
                hasContent = hasContent || AddressText.skipBlanks(bytes, first..<end) < end
            }
            guard end < value.upperBound else { break }
            start = end &+ 1
        }
        return hasDropped && !hasContent ? .emptied : .written
    }

    /// One policy: directives with semicolons between them; emptied where all of them were dropped.
    private func appendPolicy(
        _ policy: Range<Int>, of bytes: Span<UInt8>, authority: Span<UInt8>, to out: inout Buffer
    ) -> FieldOutcome {
        let content = AddressText.skipBlanks(bytes, policy)
        guard out.appendWhole(bytes.extracting(policy.lowerBound..<content)) else { return .noRoom }
        var (isFirst, hasContent, hasDropped) = (true, false, false)
        var start = content
        while true {
            let end = AddressText.first(0x3B, bytes, start..<policy.upperBound)
            let name = DirectiveName(bytes, start..<end)
            if removes(name.kind) {
                hasDropped = true
            } else if name.range.isEmpty, isFirst, hasDropped {
                // What is left of an empty directive behind one that was dropped.
            } else {
                let first = isFirst && hasDropped ? name.range.lowerBound : start
                guard isFirst || out.appendWhole(";"),
                    append(name, first..<end, of: bytes, authority: authority, to: &out)
                else { return .noRoom }
                isFirst = false
                hasContent = hasContent || !name.range.isEmpty
            }
            guard end < policy.upperBound else { break }
            start = end &+ 1
        }
        return hasDropped && !hasContent ? .emptied : .written
    }

    private func removes(_ kind: DirectiveName.Kind) -> Bool {
        switch kind {
        case .reporting, .reportURI: removesPins
        // Behind http:// they would keep the page from loading anything.
        case .securesRequests: removesPins && !client.isSecure
        case .sources, .words: false
        }
    }

    private func append(
        _ name: DirectiveName, _ directive: Range<Int>, of bytes: Span<UInt8>, authority: Span<UInt8>,
        to out: inout Buffer
    ) -> Bool {
        var copy = ValueCopy(directive)
        if let map, name.kind == .sources || name.kind == .reportURI {
            var index = name.range.upperBound
            while true {
                index = AddressText.skipBlanks(bytes, index..<directive.upperBound)
                guard index < directive.upperBound else { break }
                let start = index
                index = AddressText.firstBlank(bytes, index..<directive.upperBound)
                // Keywords, nonces and hashes.
                if bytes[start] == 0x27 { continue }
                let isWritten =
                    name.kind == .sources
                    ? copy.append(
                        source: start..<index, of: bytes, map: map, authority: authority, client: client, to: &out)
                    : copy.append(
                        .reference, start..<index, of: bytes, map: map, authority: authority, client: client, to: &out)
                guard isWritten else { return false }
            }
        }
        return copy.rest(of: bytes, to: &out) == .written
    }
}

/// A directive's name, and what its values are.
private struct DirectiveName {
    enum Kind {
        case sources
        /// Addresses that reports go to.
        case reportURI
        /// The name of an endpoint.
        case reporting
        /// No insecure requests.
        case securesRequests
        /// Words that only look like hosts.
        case words
    }

    let range: Range<Int>
    let kind: Kind

    init(_ bytes: Span<UInt8>, _ directive: Range<Int>) {
        let start = AddressText.skipBlanks(bytes, directive)
        let end = AddressText.firstBlank(bytes, start..<directive.upperBound)
        range = start..<end
        kind = Self.kind(bytes, start..<end)
    }

    private static func kind(_ bytes: Span<UInt8>, _ name: Range<Int>) -> Kind {
        switch name.count {
        case 7 where AddressText.spells(bytes, name, "sandbox"): .words
        case 9 where AddressText.spells(bytes, name, "report-to"): .reporting
        case 10 where AddressText.spells(bytes, name, "report-uri"): .reportURI
        case 12 where AddressText.spells(bytes, name, "plugin-types"): .words
        case 13 where AddressText.spells(bytes, name, "trusted-types"): .words
        case 23 where AddressText.spells(bytes, name, "block-all-mixed-content"): .securesRequests
        case 25 where AddressText.spells(bytes, name, "upgrade-insecure-requests"): .securesRequests
        default: .sources
        }
    }
}
