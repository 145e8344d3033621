import Bytes

/// Replaces the secrets of a message's head: start line and field lines (RFC 9112 2.1).
struct HeadRedaction {
    private let core: RedactionCore
    private let memo: LineMemo?

    init(core: RedactionCore, memo: LineMemo? = nil) { (self.core, self.memo) = (core, memo) }

    func redact(_ bytes: Span<UInt8>, into out: inout [UInt8]) {
        let end = min(ByteSearch.byte(0x0A, in: bytes, from: 0, to: bytes.count) + 1, bytes.count)
        remembering(bytes, 0..<end, .start, into: &out) { redactStartLine(bytes, 0..<end, into: &$0) }
        let fields = end..<bytes.count
        remembering(bytes, fields, .fields, into: &out) { redactFields(bytes, from: fields.lowerBound, into: &$0) }
    }

    /// Empties the cache.
    func forget() { memo?.lines = LineCache() }

    /// Calls `redact`, unless the result is cached.
    @inline(__always)
    func remembering(
        _ bytes: Span<UInt8>, _ line: Range<Int>, _ kind: LineCache.Kind, into out: inout [UInt8],
        _ redact: (inout [UInt8]) -> Void
    ) {
        guard let memo else { return redact(&out) }
        let hash = LineCache.hash(bytes, line, kind)
        if memo.lines.append(bytes, line, hash, into: &out) { return }
        let start = out.count
        redact(&out)
        memo.lines.keep(bytes, line, hash, out, from: start)
    }

    /// A URL, absolute or relative, or a request target.
    func redact(url bytes: Span<UInt8>, into out: inout [UInt8]) {
        remembering(bytes, 0..<bytes.count, .url, into: &out) {
            URLRedaction(core: core).redact(bytes, 0..<bytes.count, into: &$0)
        }
    }

    /// Field lines from `start` on, as they are in heads and trailer sections.
    func redactFields(_ bytes: Span<UInt8>, from start: Int, into out: inout [UInt8]) {
        var index = start
        while index < bytes.count {
            var end = min(ByteSearch.byte(0x0A, in: bytes, from: index, to: bytes.count) &+ 1, bytes.count)
            // Obsolete folding: the value goes on in the next line (RFC 9112 5.2).
            while end < bytes.count, ByteSearch.isBlank(bytes[end]) {
                end = min(ByteSearch.byte(0x0A, in: bytes, from: end, to: bytes.count) &+ 1, bytes.count)
            }
            remembering(bytes, index..<end, .field, into: &out) { redactLine(bytes, index..<end, into: &$0) }
            index = end
        }
    }

    private func redactStartLine(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout [UInt8]) {
        let line = bytes.trimmed(range)
        out.append(bytes, range.lowerBound..<line.lowerBound)
        redactTrimmedStartLine(bytes, line, into: &out)
        out.append(bytes, line.upperBound..<range.upperBound)
    }

    private func redactTrimmedStartLine(_ bytes: Span<UInt8>, _ line: Range<Int>, into out: inout [UInt8]) {
        let first = ByteSearch.byte(0x20, in: bytes, from: line.lowerBound, to: line.upperBound)
        let isResponse = line.count >= 5 && bytes.extracting(line.lowerBound..<line.lowerBound + 5).spells("http/")
        // A body that is longer than its Content-Length says is read as the next request.
        guard !isResponse, first < line.upperBound, mayBeMethod(bytes.extracting(line.lowerBound..<first)) else {
            TextRedaction(core: core).redact(bytes, line, into: &out)
            return
        }
        var last = line.upperBound
        while last > first + 1, bytes[last - 1] != 0x20 { last -= 1 }
        // Without a version, as in HTTP/0.9, the target goes to the end, also where it has spaces.
        let hasVersion =
            last > first + 1 && 5...8 ~= line.upperBound - last && bytes.extracting(last..<last + 5).spells("http/")
        let target = first + 1..<(hasVersion ? last - 1 : line.upperBound)
        out.append(bytes, line.lowerBound..<target.lowerBound)
        if bytes.extracting(line.lowerBound..<first).spells("connect") {
            TextRedaction(core: core).redact(bytes, target, into: &out)
        } else {
            URLRedaction(core: core).redact(bytes, target, into: &out)
        }
        out.append(bytes, target.upperBound..<line.upperBound)
    }

    /// Whether a word is written like the registered methods, or is the name of HTTP/2's pseudo-field.
    private func mayBeMethod(_ word: Span<UInt8>) -> Bool {
        if word.spells(":method:") { return true }
        guard word.count <= Self.longestMethod else { return false }
        for index in word.indices {
            let byte = word[index]
            guard (byte | 0x20) &- 0x61 < 26 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") else {
                return false
            }
        }
        return true
    }

    private static let longestMethod = 24

    private func redactLine(_ bytes: Span<UInt8>, _ line: Range<Int>, into out: inout [UInt8]) {
        // The names of HTTP/2's pseudo-fields begin with a colon.
        let colon = ByteSearch.byte(
            UInt8(ascii: ":"), in: bytes, from: min(line.lowerBound &+ 1, line.upperBound), to: line.upperBound)
        guard colon < line.upperBound else {
            return TextRedaction(core: core, isFieldLine: true).redact(bytes, line, into: &out)
        }
        let name = bytes.trimmed(line.lowerBound..<colon)
        let value = bytes.trimmed(colon &+ 1..<line.upperBound)
        out.append(bytes, line.lowerBound..<value.lowerBound)
        if !value.isEmpty { FieldRedaction(core: core).redact(bytes, value, name: name, into: &out) }
        out.append(bytes, value.upperBound..<line.upperBound)
    }
}
