import Bytes
import HTTP

/// Content-Security-Policy and its Report-Only (CSP3): directives that would pin a client to an address are dropped,
/// sources are mapped.
struct SecurityPolicy {
    /// nil leaves sources as they are.
    let map: AddressMap?
    let removesPins: Bool

    /// Policies with commas between them; false if they do not fit.
    func rewrite(_ field: Field, in copy: inout HeadCopy, to out: inout Buffer) -> Bool {
        let (value, mark) = (field.value, copy.mark(out))
        var (isFirst, hasBody, hasDropped) = (true, false, false)
        var start = value.lowerBound
        while true {
            let before = copy.mark(out)
            var (first, end) = (start, start)
            if isFirst, hasDropped {
                // White space behind a comma that is no longer there goes with it.
                first = AddressText.skipBlanks(copy.bytes, start..<value.upperBound)
                guard copy.leaveOut(value.lowerBound..<first, to: &out) else { return false }
            }
            switch rewritePolicy(first..<value.upperBound, endingAt: &end, in: &copy, to: &out) {
            case .noRoom: return false
            case .emptied:
                copy.restore(before, in: &out)
                hasDropped = true
                guard isFirst || copy.leaveOut(start &- 1..<end, to: &out) else { return false }
            case .written:
                isFirst = false
                hasBody = hasBody || AddressText.skipBlanks(copy.bytes, first..<end) < end
            }
            guard end < value.upperBound else { break }
            start = end &+ 1
        }
        guard hasDropped, !hasBody else { return true }
        copy.restore(mark, in: &out)
        return copy.leaveOut(field.line, to: &out)
    }

    /// One policy, up to a comma or to the end: directives with semicolons between them.
    ///
    /// It is emptied where all of them were dropped.
    @inline(__always)
    private func rewritePolicy(
        _ policies: Range<Int>, endingAt end: inout Int, in copy: inout HeadCopy, to out: inout Buffer
    ) -> FieldOutcome {
        let body = AddressText.skipBlanks(copy.bytes, policies)
        var (isFirst, hasBody, hasDropped) = (true, false, false)
        var start = body
        while true {
            end = TextWords.first(copy.bytes, start..<policies.upperBound) {
                ByteSearch.firstEqual($0, 0x3B) | ByteSearch.firstEqual($0, 0x2C)
            }
            let name = DirectiveName(copy.bytes, start..<end)
            if removes(name.kind, copy.client) {
                hasDropped = true
                guard isFirst || copy.leaveOut(start &- 1..<end, to: &out) else { return .noRoom }
            } else if name.range.isEmpty, isFirst, hasDropped {
                // The rest of an empty directive behind a dropped one.
            } else {
                if isFirst, hasDropped {
                    guard copy.leaveOut(body..<name.range.lowerBound, to: &out) else { return .noRoom }
                }
                guard rewrite(name, to: end, in: &copy, to: &out) else { return .noRoom }
                isFirst = false
                hasBody = hasBody || !name.range.isEmpty
            }
            guard end < policies.upperBound, copy.bytes[end] == 0x3B else { break }
            start = end &+ 1
        }
        return hasDropped && !hasBody ? .emptied : .written
    }

    @inline(__always)
    private func removes(_ kind: DirectiveName.Kind, _ client: ClientName) -> Bool {
        switch kind {
        case .reporting, .reportURI: removesPins
        // Behind http:// they would keep the page from loading anything.
        case .securesRequests: removesPins && !client.isSecure
        case .sources, .words: false
        }
    }

    /// The values of a directive that ends at `end`.
    @inline(__always)
    private func rewrite(
        _ name: DirectiveName, to end: Int, in copy: inout HeadCopy, to out: inout Buffer
    ) -> Bool {
        guard let map, name.kind == .sources || name.kind == .reportURI else { return true }
        var index = name.range.upperBound
        while true {
            index = AddressText.skipBlanks(copy.bytes, index..<end)
            guard index < end else { return true }
            let start = index
            index = AddressText.firstBlank(copy.bytes, index..<end)
            // Keywords, nonces and hashes.
            if copy.bytes[start] == 0x27 { continue }
            let fits =
                name.kind == .sources
                ? map.rewrite(source: start..<index, in: &copy, to: &out)
                : map.rewriteForClient(.reference, start..<index, in: &copy, to: &out)
            guard fits else { return false }
        }
    }
}

/// A directive's name, and the kind of its values.
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
        let front = TextWords.small(bytes.word(at: name.lowerBound))
        return switch name.count {
        case 7 where front & TextWords.mask(7) == TextWords.word(of: "sandbox"): .words
        case 9 where front == TextWords.word(of: "report-t") && ends(bytes, name, "eport-to"): .reporting
        case 10 where front == TextWords.word(of: "report-u") && ends(bytes, name, "port-uri"): .reportURI
        case 12 where front == TextWords.word(of: "plugin-t") && ends(bytes, name, "in-types"): .words
        case 13 where front == TextWords.word(of: "trusted-") && ends(bytes, name, "ed-types"): .words
        case 23
        where front == TextWords.word(of: "block-al") && AddressText.spells(bytes, name, "block-all-mixed-content"):
            .securesRequests
        case 25
        where front == TextWords.word(of: "upgrade-") && AddressText.spells(bytes, name, "upgrade-insecure-requests"):
            .securesRequests
        default: .sources
        }
    }

    /// Whether the last eight bytes are `text`, ignoring case.
    @inline(__always)
    private static func ends(_ bytes: Span<UInt8>, _ name: Range<Int>, _ text: StaticString) -> Bool {
        TextWords.small(bytes.word(at: name.upperBound &- 8)) == TextWords.word(of: text)
    }
}
