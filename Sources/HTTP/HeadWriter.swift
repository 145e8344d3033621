public import Bytes

/// Writes heads and chunk framing into a buffer.
///
/// Each function appends all that it was asked for, or nothing and false where it does not fit.
public enum HeadWriter {
    /// Copies the field lines that may be forwarded (RFC 9110 7.6.1) and that are not dropped by name.
    ///
    /// `bytes` are those the fields were read from. Neighbouring lines go in one copy.
    public static func appendForwardedFields(
        of fields: [Field], from bytes: Span<UInt8>, to out: inout Buffer, dropping: (FieldName) -> Bool
    ) -> Bool {
        append(fields, from: bytes, to: &out) { $0.isHopByHop || dropping($0.id) }
    }

    /// The same with the names to drop as a set.
    public static func appendForwardedFields(
        of fields: [Field], from bytes: Span<UInt8>, to out: inout Buffer, dropping: FieldNameSet = []
    ) -> Bool {
        append(fields, from: bytes, to: &out) { $0.isHopByHop || dropping.contains($0.id) }
    }

    @inline(__always)
    private static func append(
        _ fields: [Field], from bytes: Span<UInt8>, to out: inout Buffer, isDropped: (Field) -> Bool
    ) -> Bool {
        guard let first = fields.first, let last = fields.last else { return true }
        guard last.line.upperBound <= bytes.count else { return false }
        if last.line.upperBound - first.line.lowerBound > out.room {
            var needed = 0
            for field in fields where !isDropped(field) { needed += field.line.count }
            guard needed <= out.room else { return false }
        }
        var (start, end) = (first.start, first.start)
        return fields.withUnsafeBufferPointer { fields in
            for field in fields {
                let isDropped = isDropped(field)
                // Fields that the caller left out leave a gap.
                if isDropped || field.start != end {
                    if start < end, !out.appendWhole(bytes.extracting(Int(start)..<Int(end))) { return false }
                    start = isDropped ? field.lineEnd : field.start
                }
                end = field.lineEnd
            }
            return out.appendWhole(bytes.extracting(Int(start)..<Int(end)))
        }
    }

    /// `HTTP/1.1 200 OK` with CRLF, the reason being the status's own.
    public static func appendStatusLine(status: Int, to out: inout Buffer) -> Bool {
        let phrase = reasonPhrase(for: status)
        guard (100...999).contains(status), 15 + phrase.utf8CodeUnitCount <= out.room else { return false }
        return out.appendWhole("HTTP/1.1 ") && append(decimal: UInt64(status), to: &out) && out.appendWhole(" ")
            && out.appendWhole(phrase) && out.appendWhole("\r\n")
    }

    /// The same with the reason that an origin gave; `bytes` begin with its status line.
    public static func appendStatusLine(
        status: Int, reasonFrom bytes: Span<UInt8>, _ reason: Range<Int>, to out: inout Buffer
    ) -> Bool {
        guard (100...999).contains(status), reason.upperBound <= bytes.count, 15 + reason.count <= out.room else {
            return false
        }
        // Mostly it is what it is to be.
        if reason.lowerBound == 13, bytes.word(at: 0) == Scan.word(of: "HTTP/1.1") {
            return out.appendWhole(bytes.extracting(0..<reason.upperBound)) && out.appendWhole("\r\n")
        }
        return out.appendWhole("HTTP/1.1 ") && append(decimal: UInt64(status), to: &out) && out.appendWhole(" ")
            && out.appendWhole(bytes.extracting(reason)) && out.appendWhole("\r\n")
    }

    /// Method, target and version with CRLF; an empty target, or one that begins with `?`, gets its `/`.
    public static func appendRequestLine(
        method: Span<UInt8>, target: Span<UInt8>, to out: inout Buffer
    ) -> Bool {
        let needsSlash = target.isEmpty || target[0] == 0x3F
        guard method.count + target.count + (needsSlash ? 13 : 12) <= out.room else { return false }
        return out.appendWhole(method) && out.appendWhole(needsSlash ? " /" : " ") && out.appendWhole(target)
            && out.appendWhole(" HTTP/1.1\r\n")
    }

    /// A field line.
    ///
    /// Name and value are the caller's to vouch for: neither is checked.
    public static func appendField(_ name: FieldName, _ value: Span<UInt8>, to out: inout Buffer) -> Bool {
        guard name.text.utf8CodeUnitCount + value.count + 4 <= out.room else { return false }
        return out.appendWhole(name.text) && out.appendWhole(": ") && out.appendWhole(value) && out.appendWhole("\r\n")
    }

    /// A Content-Length line.
    public static func appendContentLength(_ length: UInt64, to out: inout Buffer) -> Bool {
        guard 18 + digits(in: length, base: 10) <= out.room else { return false }
        return out.appendWhole("Content-Length: ") && append(decimal: length, to: &out) && out.appendWhole("\r\n")
    }

    /// A chunk's size with CRLF (RFC 9112 7.1); size 0 begins the end of the body.
    public static func appendChunkHeader(size: Int, to out: inout Buffer) -> Bool {
        let size = UInt64(max(size, 0))
        guard digits(in: size, base: 16) + 2 <= out.room else { return false }
        return append(hexadecimal: size, to: &out) && out.appendWhole("\r\n")
    }
}
