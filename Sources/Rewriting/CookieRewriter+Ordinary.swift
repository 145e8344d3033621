internal import Bytes
internal import HTTP

extension CookieRewriter {
    /// The same, reading the line once; nil for a cookie whose name means something to browsers or to Shunt.
    ///
    /// For routes whose cookies are rewritten, and without jars.
    static func append(
        ordinary field: Field, from bytes: Span<UInt8>, _ addresses: AddressMap?, authority: Span<UInt8>,
        client: ClientName, to out: inout Buffer, changes: inout RewriteChanges
    ) -> Bool? {
        let (line, value) = (field.line, field.value)
        guard isOrdinary(bytes.word(at: value.lowerBound)) else { return nil }
        let mark = out.count
        var copied = line.lowerBound
        var start = TextWords.first(0x3B, bytes, value)
        while start < value.upperBound {
            let end = TextWords.first(0x3B, bytes, start &+ 1..<value.upperBound)
            let segment = start..<end
            start = end
            let front = TextWords.small(bytes.word(at: segment.lowerBound))
            guard concerns(name(bytes, segment, front), addresses, client) else { continue }
            if !client.isSecure, needsSecurity(bytes, segment, front) {
                guard out.appendWhole(bytes.extracting(copied..<segment.lowerBound)) else {
                    out.truncate(to: mark)
                    return false
                }
                copied = segment.upperBound
                continue
            }
            let attribute = SetCookieAttributes.Attribute(bytes, segment)
            let action = SetCookiePlan.action(
                for: attribute, in: bytes, addresses, authority: authority, client: client)
            let fits =
                switch action {
                case .same: true
                case .leftOut: out.appendWhole(bytes.extracting(copied..<segment.lowerBound))
                case .domain(let range):
                    out.appendWhole(bytes.extracting(copied..<attribute.value.lowerBound))
                        && out.appendWhole(authority.extracting(range))
                case .path(let range):
                    out.appendWhole(bytes.extracting(copied..<attribute.value.lowerBound))
                        && (range.isEmpty ? out.appendWhole("/") : out.appendWhole(bytes.extracting(range)))
                }
            guard fits else {
                out.truncate(to: mark)
                return false
            }
            if case .same = action { continue }
            copied = segment.upperBound
        }
        if copied == line.lowerBound { return out.appendWhole(bytes.extracting(line)) }
        let isEnded =
            value.upperBound &+ 2 == line.upperBound
            ? out.appendWhole(bytes.extracting(copied..<line.upperBound))
            : out.appendWhole(bytes.extracting(copied..<value.upperBound)) && out.appendWhole("\r\n")
        guard isEnded else {
            out.truncate(to: mark)
            return false
        }
        changes.insert(.setCookie)
        return true
    }

    /// Whether a name that begins so is none that ``CookieName`` knows, nor empty in front of a `=`.
    @inline(__always)
    private static func isOrdinary(_ word: UInt64) -> Bool {
        switch word & 0xFF {
        case 0x3D: false
        case 0x5F: word & 0xFFFF != TextWords.word(of: "__")
        case 0x73: word & TextWords.mask(5) != TextWords.word(of: "shunt")
        default: true
        }
    }

    /// What an attribute's name begins with, in small letters; `front` is what lies from its `;` on.
    @inline(__always)
    private static func name(_ bytes: Span<UInt8>, _ segment: Range<Int>, _ front: UInt64) -> UInt64 {
        // One space, as nearly everyone writes it.
        if front &>> 8 & 0xFF == 0x20, front &>> 16 & 0xFF > 0x20 { return front &>> 16 }
        let start = AddressText.skipBlanks(bytes, segment.lowerBound &+ 1..<segment.upperBound)
        return TextWords.small(bytes.word(at: start))
    }

    /// Whether it is what secure clients alone are told, as nearly everyone spells it.
    @inline(__always)
    private static func needsSecurity(_ bytes: Span<UInt8>, _ segment: Range<Int>, _ front: UInt64) -> Bool {
        switch segment.count {
        case 8: front == TextWords.word(of: "; secure")
        case 15:
            front == TextWords.word(of: "; samesi")
                && TextWords.small(bytes.word(at: segment.upperBound &- 8)) == TextWords.word(of: "ite=none")
        default: false
        }
    }

    /// Whether an attribute whose name begins so may go on in another way.
    @inline(__always)
    private static func concerns(_ word: UInt64, _ addresses: AddressMap?, _ client: ClientName) -> Bool {
        switch word & TextWords.mask(4) {
        case TextWords.word(of: "doma"): addresses != nil
        case TextWords.word(of: "path"): addresses?.hasBasePath ?? false
        case TextWords.word(of: "secu"), TextWords.word(of: "same"), TextWords.word(of: "part"): !client.isSecure
        default: false
        }
    }
}
