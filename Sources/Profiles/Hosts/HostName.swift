/// Normalises a host to the form in which hosts are compared.
///
/// Lower case, non-ASCII labels as `xn--`, IPv6 by RFC 5952 without brackets, no trailing dot.
func normalizedHost(_ text: some StringProtocol) throws(Refusal) -> String {
    if isNormalized(text.utf8) { return String(text) }
    var text = String(text)
    if text.hasPrefix("[") || text.utf8.contains(UInt8(ascii: ":")) {
        let inner = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
        guard let address = IPv6Address(Array(inner.utf8)) else {
            throw Refusal(message: "\"\(text)\" is no IPv6 address", expected: "one like [::1] or [2001:db8::7]")
        }
        return address.text
    }
    if text.hasSuffix(".") { text.removeLast() }
    guard !text.isEmpty else { throw Refusal(message: "the host is empty", expected: "a host like api.shop.test") }
    var labels: [String] = []
    for label in text.split(separator: ".", omittingEmptySubsequences: false) {
        labels.append(try normalizedLabel(label, of: text))
    }
    let host = labels.joined(separator: ".")
    guard host.utf8.count <= 253 else {
        throw Refusal(message: "the host has \(host.utf8.count) characters", expected: "at most 253 (RFC 1035)")
    }
    return host
}

/// Whether these are labels of small letters, digits and hyphens, as most hosts are written; false says nothing.
private func isNormalized(_ text: some Collection<UInt8>) -> Bool {
    var (count, label) = (0, 0)
    for byte in text {
        count += 1
        if byte == UInt8(ascii: ".") {
            guard label > 0 else { return false }
            label = 0
            continue
        }
        label += 1
        guard byte &- 0x61 < 26 || byte &- 0x30 < 10 || byte == UInt8(ascii: "-"), label <= 63 else { return false }
    }
    return label > 0 && count <= 253
}

private func normalizedLabel(_ label: Substring, of host: String) throws(Refusal) -> String {
    let scalars = Array(label.lowercased().unicodeScalars)
    guard !scalars.isEmpty else {
        throw Refusal(message: "the host \"\(host)\" has an empty label", expected: "letters between its dots")
    }
    for scalar in scalars {
        let isAllowed =
            switch scalar {
            case "a"..."z", "0"..."9", "-", "_": true
            default: !scalar.isASCII && scalar.properties.isXIDContinue
            }
        guard isAllowed else {
            throw Refusal(
                message: "the host \"\(host)\" contains `\(scalar)`", expected: "letters, digits, `-`, `_` and dots")
        }
        // Swift without Foundation has no public NFC; a combining accent is the one way people meet the difference.
        if (0x300...0x36F).contains(scalar.value) {
            throw Refusal(
                message: "the host \"\(host)\" writes an accent as a character of its own",
                expected: "composed letters (Unicode NFC)", hint: "type it again, or write the `xn--` form")
        }
    }
    let encoded: String
    if scalars.allSatisfy(\.isASCII) {
        encoded = label.lowercased()
    } else {
        guard let code = punycode(scalars) else {
            throw Refusal(message: "a label of \"\(host)\" is too long", expected: "at most 63 characters (RFC 1035)")
        }
        encoded = "xn--" + code
    }
    guard encoded.utf8.count <= 63 else {
        throw Refusal(
            message: "the label \"\(label)\" has \(encoded.utf8.count) characters", expected: "at most 63 (RFC 1035)")
    }
    return encoded
}

/// localhost, all below it, 127.0.0.0/8 and ::1; the host is normalised.
func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host.hasSuffix(".localhost") || host == "::1" || parseIPv4(host.utf8)?.first == 127
}

/// Splits `host`, `host:port`, `[v6]`, `[v6]:port` or a bare IPv6 address.
func splitAuthority(_ text: some StringProtocol) throws(Refusal) -> (host: String, port: UInt16?) {
    let text = String(text)
    let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
    if text.hasPrefix("[") {
        guard let end = text.firstIndex(of: "]") else {
            throw Refusal(message: "\"\(text)\" has no closing bracket", expected: "an address like [::1]")
        }
        let tail = text[text.index(after: end)...]
        if tail.isEmpty { return (text, nil) }
        guard tail.hasPrefix(":") else {
            throw Refusal(message: "\"\(tail)\" behind the IPv6 address", expected: "`:` and a port, or nothing")
        }
        return (String(text[...end]), try parsePort(tail.dropFirst()))
    }
    guard colons == 1, let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return (text, nil) }
    return (String(text[..<colon]), try parsePort(text[text.utf8.index(after: colon)...]))
}

func parsePort(_ text: some StringProtocol) throws(Refusal) -> UInt16 {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
        let port = UInt16(text), port > 0
    else { throw Refusal(message: "\"\(text)\" is no port", expected: "a number from 1 to 65535") }
    return port
}
