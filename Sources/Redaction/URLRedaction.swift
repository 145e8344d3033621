import Bytes

/// Replaces the secrets of a URL, absolute or relative (RFC 3986): userinfo, and parameters wherever they stand.
///
/// Segments behind `/reset-password/` and the like go too, and userinfo of URLs that stand within this one.
struct URLRedaction {
    let core: RedactionCore

    func redact(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout [UInt8]) {
        let authority = authority(of: bytes, in: range)
        var start = range.lowerBound
        if !authority.isEmpty {
            var at = authority.upperBound
            while at > authority.lowerBound, bytes[at - 1] != UInt8(ascii: "@") { at -= 1 }
            if at == authority.lowerBound, UserinfoRedaction.hasFalsePort(bytes.extracting(authority)) {
                return redactFalseAuthority(bytes, range, authority, into: &out)
            }
            out.append(bytes, start..<authority.lowerBound)
            if at > authority.lowerBound {
                var secret = SecretValue(name: Array("userinfo".utf8), core: core)
                secret.append(bytes.extracting(authority.lowerBound..<at - 1))
                secret.finish(.userinfo, into: &out)
                out.append(UInt8(ascii: "@"))
            }
            out.append(bytes, at..<authority.upperBound)
            start = authority.upperBound
        }
        redactWithoutAuthority(bytes, start..<range.upperBound, into: &out)
    }

    /// What has no `@` and no port is user and password: of a URL that was cut off, or with a slash in the password.
    private func redactFalseAuthority(
        _ bytes: Span<UInt8>, _ range: Range<Int>, _ authority: Range<Int>, into out: inout [UInt8]
    ) {
        var end = range.upperBound
        while end > authority.upperBound, bytes[end - 1] != UInt8(ascii: "@") { end -= 1 }
        end = end > authority.upperBound ? end - 1 : authority.upperBound
        out.append(bytes, range.lowerBound..<authority.lowerBound)
        var secret = SecretValue(name: Array("userinfo".utf8), core: core)
        secret.append(bytes.extracting(authority.lowerBound..<end))
        secret.finish(.userinfo, into: &out)
        redactWithoutAuthority(bytes, end..<range.upperBound, into: &out)
    }

    /// Path, query and fragment.
    func redactWithoutAuthority(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout [UInt8]) {
        var start = range.lowerBound
        let mark = out.count
        let end = ByteSearch.either(
            UInt8(ascii: "?"), UInt8(ascii: "#"), in: bytes, from: range.lowerBound, to: range.upperBound)
        var name: Range<Int>?
        while let found = PathSecrets.first(in: bytes, start..<end, behind: name, core.names) {
            redactParameters(bytes, start..<found.secret.lowerBound, into: &out)
            replace(bytes, found.secret, name: found.name, into: &out)
            (name, start) = (found.name, found.secret.upperBound)
        }
        redactParameters(bytes, start..<range.upperBound, into: &out)
        UserinfoRedaction.redact(&out, from: mark, core: core)
    }

    private func replace(_ bytes: Span<UInt8>, _ segment: Range<Int>, name: Range<Int>, into out: inout [UInt8]) {
        var secret = SecretValue(name: bytes.extracting(name), core: core)
        var index = segment.lowerBound
        while index < segment.upperBound {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < segment.upperBound,
                let high = ByteSearch.hexDigit(bytes[index + 1]), let low = ByteSearch.hexDigit(bytes[index + 2])
            {
                secret.append(high << 4 | low)
                index += 3
            } else {
                secret.append(bytes[index])
                index += 1
            }
        }
        secret.finish(.escaped, into: &out)
    }

    private func redactParameters(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout [UInt8]) {
        guard mayHoldSecret(bytes, range) else {
            out.append(bytes, range)
            return
        }
        var parameters = ParameterRedaction(core: core, isURL: true)
        parameters.redact(bytes, range, into: &out)
        parameters.finish(into: &out)
    }

    /// Whether there is a parameter, a word as long as credentials are, or what may be a token.
    private func mayHoldSecret(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let (start, end) = (range.lowerBound, range.upperBound)
        return ByteSearch.either(UInt8(ascii: "="), UInt8(ascii: "%"), in: bytes, from: start, to: end) < end
            || hasLongWord(bytes, range)
            || end - TokenSearch.candidate(in: bytes, from: start, to: end, escape: nil) >= TokenSearch.shortest
    }

    private func hasLongWord(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var count = 0
        for index in range {
            let byte = bytes[index]
            let isInWord =
                ByteSearch.isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
            count = isInWord ? count + 1 : 0
            if count == CredentialLook.shortest { return true }
        }
        return false
    }

    /// The part behind `//` at the beginning or behind a scheme; empty if there is none.
    private func authority(of bytes: Span<UInt8>, in range: Range<Int>) -> Range<Int> {
        var index = range.lowerBound
        while index < range.upperBound, bytes[index] != UInt8(ascii: "/") {
            switch bytes[index] {
            case UInt8(ascii: "?"), UInt8(ascii: "#"): return range.lowerBound..<range.lowerBound
            default: index += 1
            }
        }
        guard index + 1 < range.upperBound, bytes[index + 1] == UInt8(ascii: "/"),
            index == range.lowerBound || bytes[index - 1] == UInt8(ascii: ":")
        else { return range.lowerBound..<range.lowerBound }
        let start = index + 2
        index = start
        while index < range.upperBound, bytes[index] != UInt8(ascii: "/"), bytes[index] != UInt8(ascii: "?"),
            bytes[index] != UInt8(ascii: "#")
        {
            index += 1
        }
        return start..<index
    }
}
