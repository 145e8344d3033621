internal import Bytes
internal import HTTP

extension CookieRewriter {
    /// The same, reading the line once; nil for a cookie whose name means something to browsers or to Shunt.
    ///
    /// For routes whose cookies are rewritten, and without jars.
    static func rewrite(
        ordinary field: Field, _ addresses: AddressMap?, in copy: inout HeadCopy, to out: inout Buffer
    ) -> Bool? {
        let (bytes, client, value) = (copy.bytes, copy.client, field.value)
        guard isOrdinary(bytes.word(at: value.lowerBound)) else { return nil }
        copy.isChanged = false
        var semicolons = ByteCursor(0x3B, value, of: bytes)
        var start = semicolons.next(bytes)
        while start < value.upperBound {
            let segment = start..<semicolons.next(bytes)
            start = segment.upperBound
            let front = folded(bytes.word(at: segment.lowerBound))
            guard concerns(name(bytes, segment, front), addresses, client) else { continue }
            if !client.isSecure, needsSecurity(bytes, segment, front) {
                guard copy.leaveOut(segment, to: &out) else { return false }
                continue
            }
            let attribute = attribute(bytes, segment, front)
            let action = SetCookiePlan.action(
                for: attribute, in: bytes, addresses, authority: copy.authority, client: client)
            let fits =
                switch action {
                case .same: true
                case .leftOut: copy.leaveOut(segment, to: &out)
                case .domain(let range):
                    copy.leaveOut(attribute.value.lowerBound..<segment.upperBound, to: &out)
                        && out.appendWhole(copy.authority.extracting(range))
                case .path(let range):
                    copy.leaveOut(attribute.value.lowerBound..<segment.upperBound, to: &out)
                        && (range.isEmpty ? out.appendWhole("/") : out.appendWhole(bytes.extracting(range)))
                }
            guard fits else { return false }
        }
        let end = field.line.upperBound &- 2
        // White space at the end of a line that is written anew.
        return !copy.isChanged || value.upperBound == end
            || copy.leaveOut(value.upperBound..<end, to: &out)
    }

    @inline(__always)
    private static func attribute(
        _ bytes: Span<UInt8>, _ segment: Range<Int>, _ front: UInt64
    ) -> SetCookieAttributes.Attribute {
        // As nearly everyone spells it.
        if segment.count > 9, front == TextWords.word(of: "; domain"), bytes[segment.lowerBound &+ 8] == 0x3D {
            return SetCookieAttributes.Attribute(
                name: .domain, segment: segment,
                value: CookieText.trimmed(bytes, segment.lowerBound &+ 9..<segment.upperBound))
        }
        return SetCookieAttributes.Attribute(bytes, segment)
    }

    /// Whether a name with this beginning is unknown to ``CookieName``, and not empty in front of a `=`.
    @inline(__always)
    private static func isOrdinary(_ word: UInt64) -> Bool {
        switch word & 0xFF {
        case 0x3D: false
        case 0x5F: word & 0xFFFF != TextWords.word(of: "__")
        case 0x73: word & TextWords.mask(5) != TextWords.word(of: "shunt")
        default: true
        }
    }

    /// Capital letters as small ones; nothing else that may be in a field becomes a letter, `=`, `;` or a space.
    @inline(__always)
    private static func folded(_ word: UInt64) -> UInt64 { word | 0x2020_2020_2020_2020 }

    /// What an attribute's name begins with, in small letters; `front` is what lies from its `;` on.
    @inline(__always)
    private static func name(_ bytes: Span<UInt8>, _ segment: Range<Int>, _ front: UInt64) -> UInt64 {
        // One space, as nearly everyone writes it; what was a tab lies below all letters.
        if front &>> 8 & 0xFF == 0x20, front &>> 16 & 0xFF > 0x40 { return front &>> 16 }
        let start = AddressText.skipBlanks(bytes, segment.lowerBound &+ 1..<segment.upperBound)
        return folded(bytes.word(at: start))
    }

    /// Whether it is what secure clients alone are told, as nearly everyone spells it.
    @inline(__always)
    private static func needsSecurity(_ bytes: Span<UInt8>, _ segment: Range<Int>, _ front: UInt64) -> Bool {
        switch segment.count {
        case 8: front == TextWords.word(of: "; secure")
        case 15:
            front == TextWords.word(of: "; samesi")
                && folded(bytes.word(at: segment.upperBound &- 8)) == TextWords.word(of: "ite=none")
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
