import Bytes

/// Layers of escapes that are read; servers in a row may undo one each.
private let maxLayers = 4

/// Whether some server may read a path differently from the routes.
///
/// Shunt resolves `..` and `%2e%2e` as RFC 3986 says and sends the path on as it is. Servers also undo escapes twice,
/// take `\` and `%2f` for slashes, drop parameters (`..;a`) and merge slashes before they resolve. So a path counts
/// that has dot segments in any reading, and one that cannot be read.
package func mayLeadElsewhere(_ path: [UInt8]) -> Bool {
    var bytes = path
    for _ in 0..<maxLayers {
        // Overlong forms of a dot are no UTF-8.
        guard let text = String(validating: bytes, as: UTF8.self),
            !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
        else { return true }
        if text.unicodeScalars.split(whereSeparator: isSlash).contains(where: { isDots($0) }) { return true }
        let next = FormCoding.decoded(bytes)
        if next == bytes { return false }
        bytes = next
    }
    return true
}

/// Some servers fold characters that look alike.
private func isSlash(_ scalar: Unicode.Scalar) -> Bool {
    "/\\\u{FF0F}\u{FF3C}\u{2044}\u{2215}".unicodeScalars.contains(scalar)
}

/// Whether a segment has dots and nothing that makes it a name.
private func isDots(_ segment: Substring.UnicodeScalarView.SubSequence) -> Bool {
    let name = segment.prefix { $0 != ";" && $0 != "?" && $0 != "#" }
    return name.contains { ".\u{FF0E}\u{2024}\u{2025}\u{FE52}".unicodeScalars.contains($0) }
        && !name.contains { $0.properties.isAlphabetic || $0.properties.numericType != nil }
}
