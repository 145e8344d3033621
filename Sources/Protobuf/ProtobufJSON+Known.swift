import Bytes
import JSON

/// The types of google/protobuf whose JSON is not an object of their fields.
extension ProtobufJSON {
    static let package = "google.protobuf."

    static let wrappers: Set<String> = [
        "DoubleValue", "FloatValue", "Int64Value", "UInt64Value", "Int32Value", "UInt32Value", "BoolValue",
        "StringValue", "BytesValue",
    ]

    /// Nil for an ordinary message.
    mutating func writeKnown(_ message: ProtobufMessage, _ fields: ProtobufFields, _ depth: Int) -> Bool? {
        guard message.name.hasPrefix(Self.package) else { return nil }
        let name = String(message.name.dropFirst(Self.package.count))
        switch name {
        case "Timestamp":
            guard let text = ProtobufTime.timestamp(fields.number(1), fields.number(2)) else { return nil }
            writer.value(text)
        case "Duration":
            guard let text = ProtobufTime.duration(fields.number(1), fields.number(2)) else { return nil }
            writer.value(text)
        case "FieldMask":
            writer.value(fields.texts(1).map(DescriptorReader.jsonName).joined(separator: ","))
        case "Any": return writeAny(fields, depth)
        case "Struct":
            guard let field = message.field(1), let values = fields.values(of: field), !values.isEmpty else {
                writer.object { _ in }
                return true
            }
            return write(field, values, depth)
        case "ListValue":
            guard let field = message.field(1), let values = fields.values(of: field), !values.isEmpty else {
                writer.array { _ in }
                return true
            }
            return write(field, values, depth)
        case "Value":
            let last = message.fields.filter { fields.last[$0.number] != nil }
                .max { (fields.last[$0.number] ?? 0) < (fields.last[$1.number] ?? 0) }
            guard let last, let values = fields.values(of: last) else {
                writer.null()
                return true
            }
            return write(last, values, depth)
        case _ where Self.wrappers.contains(name):
            guard let field = message.field(1) else { return nil }
            guard let value = fields.values(of: field)?.last else { return writeDefault(field.kind, depth) }
            return write(field.kind, value, depth)
        default: return nil
        }
        return true
    }

    private mutating func writeAny(_ fields: ProtobufFields, _ depth: Int) -> Bool {
        let url = fields.texts(1).last ?? ""
        var bytes: ArraySlice<UInt8> = []
        if case .bytes(let value)? = fields.all[2]?.last { bytes = value }
        writer.beginObject()
        if !url.isEmpty { writer.member("@type", url) }
        let name = url.split(separator: "/").last.map(String.init) ?? ""
        if depth + 1 < NestingLimit.values, let message = schema.messages[name], let inner = ProtobufFields(bytes) {
            if ProtobufEncoder.isKnown(name) {
                writer.key("value")
                guard write(message, bytes, depth: depth + 1) else { return false }
            } else {
                guard writeMembers(message, inner, depth + 1) else { return false }
            }
        } else if !bytes.isEmpty {
            writer.member("value", Base64Encoder.text(Array(bytes)))
        }
        writer.endObject()
        return true
    }
}

/// Times of google/protobuf as JSON has them.
enum ProtobufTime {
    /// From the year 1 to the year 9999.
    static let seconds: ClosedRange<Int64> = -62_135_596_800...253_402_300_799
    /// Some 10,000 years.
    static let longest: Int64 = 315_576_000_000
    private static let nanos: ClosedRange<Int64> = 0...999_999_999

    /// `2026-11-27T10:00:00.5Z`; nil for a time that has no such text.
    static func timestamp(_ seconds: Int64, _ nanos: Int64) -> String? {
        guard Self.seconds.contains(seconds), Self.nanos.contains(nanos) else { return nil }
        let days = seconds.dividedFloor(by: 86_400)
        let clock = CalendarDate.time(ofDay: seconds - days * 86_400)
        return "\(CalendarDate(daysSince1970: days).text)T\(clock)\(fraction(nanos))Z"
    }

    /// `-1.5s`.
    static func duration(_ seconds: Int64, _ nanos: Int64) -> String? {
        guard (-longest...longest).contains(seconds), (-999_999_999...999_999_999).contains(nanos),
            seconds == 0 || nanos == 0 || (seconds < 0) == (nanos < 0)
        else { return nil }
        let sign = seconds < 0 || nanos < 0 ? "-" : ""
        return "\(sign)\(seconds.magnitude)\(fraction(abs(nanos)))s"
    }

    /// With three, six or nine places.
    private static func fraction(_ nanos: Int64) -> String {
        if nanos == 0 { return "" }
        if nanos % 1_000_000 == 0 { return "." + (nanos / 1_000_000).padded(to: 3) }
        if nanos % 1000 == 0 { return "." + (nanos / 1000).padded(to: 6) }
        return "." + nanos.padded(to: 9)
    }

    /// The digits behind a point as nanoseconds; nil for more than nine, or none.
    static func nanos(_ digits: some StringProtocol) -> Int64? {
        guard (1...9).contains(digits.utf8.count), digits.utf8.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        let text = digits + String(repeating: "0", count: 9 - digits.utf8.count)
        return UntrustedNumber(digits: text.utf8)?.clamped()
    }

    static func timestamp(_ text: String) -> (seconds: Int64, nanos: Int64)? {
        guard let micros = CalendarTime.parse(text) else { return nil }
        let seconds = micros.dividedFloor(by: 1_000_000)
        guard Self.seconds.contains(seconds) else { return nil }
        guard let point = text.firstIndex(of: ".") else { return (seconds, 0) }
        let digits = text[text.index(after: point)...].prefix { $0.isASCII && $0.isNumber }
        return nanos(digits).map { (seconds, $0) }
    }

    static func duration(_ text: String) -> (seconds: Int64, nanos: Int64)? {
        guard text.hasSuffix("s") else { return nil }
        let isNegative = text.hasPrefix("-")
        let parts = text.dropFirst(isNegative ? 1 : 0).dropLast().split(
            separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let whole = UntrustedNumber(digits: parts[0].utf8),
            let nanos = parts.count == 2 ? nanos(parts[1]) : 0
        else { return nil }
        let seconds = whole.clamped(to: 0...(.max))
        guard seconds <= longest else { return nil }
        return isNegative ? (0 - seconds, 0 - nanos) : (seconds, nanos)
    }
}
