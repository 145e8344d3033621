import Bytes

/// Replaces the secrets of a URL, absolute or relative (RFC 3986): userinfo, and parameters wherever they stand.
///
/// Segments behind `/reset-password/` and the like go too, and userinfo of URLs that stand within this one.
struct URLRedaction {
    let core: RedactionCore

    func redact(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout [UInt8]) {
        let mark = out.count
        let authority = authority(of: bytes, in: range)
        out.append(bytes, range.lowerBound..<authority.lowerBound)
        if UserinfoRedaction.hasFalsePort(bytes.extracting(authority)),
            ByteSearch.byte(UInt8(ascii: "@"), in: bytes, from: authority.lowerBound, to: range.upperBound)
                == range.upperBound
        {
            // User and password of a URL that was cut off.
            core.replace(bytes.extracting(authority), name: "userinfo", .userinfo, into: &out)
        } else {
            out.append(bytes, authority)
        }
        redactPath(bytes, authority.upperBound..<range.upperBound, into: &out)
        UserinfoRedaction.redact(&out, from: mark, core: core)
    }

    func redactWithoutAuthority(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout [UInt8]) {
        let mark = out.count
        redactPath(bytes, range, into: &out)
        UserinfoRedaction.redact(&out, from: mark, core: core)
    }

    /// Path, query and fragment.
    private func redactPath(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout [UInt8]) {
        var start = range.lowerBound
        let end = ByteSearch.either(
            UInt8(ascii: "?"), UInt8(ascii: "#"), in: bytes, from: range.lowerBound, to: range.upperBound)
        for (name, secret) in PathSecrets.all(in: bytes, start..<end, .plain, isQuoted: false, core.names) {
            redactParameters(bytes, start..<secret.lowerBound, into: &out)
            let value = TextEncoding.form.plain(bytes, secret)
            core.replace(value.span, name: bytes.extracting(name), .escaped, into: &out)
            start = secret.upperBound
        }
        redactParameters(bytes, start..<range.upperBound, into: &out)
    }

    private func redactParameters(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout [UInt8]) {
        guard mayHoldSecret(bytes, range) else {
            out.append(bytes, range)
            return
        }
        var parameters = ParameterReader(core: core, isURL: true)
        _ = parameters.read(bytes.extracting(range), from: 0, isLast: true, into: &out)
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
            let isInWord = ByteSearch.isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
            count = isInWord ? count + 1 : 0
            if count == CredentialLook.shortest { return true }
        }
        return false
    }

    /// The part behind `//` at the beginning or behind a scheme; empty if there is none.
    private func authority(of bytes: Span<UInt8>, in range: Range<Int>) -> Range<Int> {
        var index = range.lowerBound
        while index < range.upperBound, !bytes[index].isOne(of: "/?#") { index += 1 }
        guard index + 1 < range.upperBound, bytes[index] == UInt8(ascii: "/"), bytes[index + 1] == UInt8(ascii: "/"),
            index == range.lowerBound || bytes[index - 1] == UInt8(ascii: ":")
        else { return range.lowerBound..<range.lowerBound }
        let start = index + 2
        index = start
        while index < range.upperBound, !bytes[index].isOne(of: "/?#") { index += 1 }
        return start..<index
    }
}
