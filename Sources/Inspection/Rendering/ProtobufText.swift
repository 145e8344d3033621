import Bytes
import JSON
import Protobuf

/// Protobuf without a schema: field numbers, wire types, and a guess at what lies in fields with a length.
enum ProtobufText {
    static let depthLimit = NestingLimit.values

    /// Adds a line per field, or nothing and says false if the bytes are no message.
    static func render(_ bytes: ArraySlice<UInt8>, isCut: Bool, to sink: LineSink) -> Bool {
        guard ProtobufReader.isMessage(bytes, isCut: isCut) else { return false }
        fields(bytes, depth: 0, to: sink)
        return true
    }

    private static func fields(_ bytes: ArraySlice<UInt8>, depth: Int, to sink: LineSink) {
        var reader = ProtobufReader(bytes)
        let indent = sink.indent
        defer { sink.indent = indent }
        while !sink.isOver, !reader.isAtEnd {
            guard let (number, value) = reader.next() else {
                sink.add("(cut within a field)")
                return
            }
            switch value {
            case .varint(let value):
                let signed = value > UInt64(Int64.max) ? " (\(Int64(bitPattern: value)))" : ""
                sink.add("\(number) varint  \(value)\(signed)")
            case .fixed64(let value):
                sink.add("\(number) fixed64  \(value) (double \(Double(bitPattern: value)))")
            case .fixed32(let value):
                sink.add("\(number) fixed32  \(value) (float \(Float(bitPattern: value)))")
            case .groupStart:
                sink.add("\(number) group {")
                sink.indent += "  "
            case .groupEnd:
                if sink.indent.utf8.count > indent.utf8.count { sink.indent.removeLast(2) }
                sink.add("}")
            case .bytes(let value): body(number, value, depth, sink)
            }
        }
    }

    /// Text of one line is text; then a message, if it can be one; then any other text; then bytes.
    private static func body(_ number: UInt64, _ bytes: ArraySlice<UInt8>, _ depth: Int, _ sink: LineSink) {
        let isText = PlainText.isPlain(bytes)
        let hasBreaks = bytes.contains { $0 < 0x20 }
        if bytes.isEmpty || isText && !hasBreaks {
            sink.add("\(number) string  \"\(String(decoding: bytes, as: UTF8.self))\"")
        } else if depth < depthLimit, ProtobufReader.isMessage(bytes) {
            sink.add("\(number) message {")
            sink.indented { fields(bytes, depth: depth + 1, to: sink) }
            sink.add("}")
        } else if isText {
            sink.add("\(number) string  \(escaped(bytes))")
        } else {
            let shown = bytes.prefix(32).map { Hex.text([$0]) }.joined(separator: " ")
            sink.add("\(number) bytes  (\(bytes.count)) \(shown)\(bytes.count > 32 ? " …" : "")")
        }
    }

    private static func escaped(_ bytes: ArraySlice<UInt8>) -> String {
        var text = "\""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
