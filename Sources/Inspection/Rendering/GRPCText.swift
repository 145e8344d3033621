import JSON
import Protobuf

/// Messages of gRPC, each behind a flag and its length (gRPC over HTTP/2, Length-Prefixed-Message).
enum GRPCText {
    static func render(_ body: Content, _ call: CallMessages?, to sink: LineSink) -> Bool {
        var rest = body.bytes
        if body.essence.hasPrefix("application/grpc-web-text") {
            guard let bytes = GRPC.decodedText(rest) else { return false }
            rest = bytes[...]
        }
        guard isFramed(rest, isCut: body.isCut) else { return false }
        var number = 0
        while !rest.isEmpty, !sink.isOver {
            number += 1
            guard let frame = GRPCFrame(rest) else {
                sink.add("message \(number) (cut)")
                return true
            }
            rest = frame.rest
            let size = "\(frame.bytes.count) byte" + (frame.bytes.count == 1 ? "" : "s")
            let note = (frame.isCompressed ? ", compressed" : "") + (frame.isCut ? " of \(frame.length), cut" : "")
            let type = frame.isTrailers ? nil : call?.type.map { " \($0.name)" }
            sink.add("\(frame.isTrailers ? "trailers" : "message \(number)")\(type ?? ""), \(size)\(note)")
            sink.indented { render(frame, call, to: sink) }
        }
        return true
    }

    private static func render(_ frame: GRPCFrame, _ call: CallMessages?, to sink: LineSink) {
        if frame.isTrailers, !frame.isCompressed {
            let type = Array("text/plain".utf8)
            BodyText.render(Content(frame.bytes, contentType: type, isCut: frame.isCut), depth: 0, to: sink)
            return
        }
        guard let message = call?.message(frame) else {
            if frame.isCompressed || !ProtobufText.render(frame.bytes, isCut: frame.isCut, to: sink) {
                HexDump.render(frame.bytes, to: sink)
            }
            return
        }
        if let json = call?.json(of: message, style: .pretty) {
            for line in json.split(separator: 0x0A) where !sink.isOver { sink.add(bytes: line) }
        } else if !ProtobufText.render(message[...], isCut: false, to: sink) {
            HexDump.render(message[...], to: sink)
        }
    }

    /// From the first frame to the last.
    private static func isFramed(_ body: ArraySlice<UInt8>, isCut: Bool) -> Bool {
        var rest = body
        while let frame = GRPCFrame(rest) {
            if frame.isCut { return isCut }
            rest = frame.rest
        }
        return rest.isEmpty || isCut && rest.count < 5
    }
}
