/// Messages of gRPC, each behind a flag and its length (gRPC over HTTP/2, Length-Prefixed-Message).
enum GRPCText {
    static func render(_ body: Content, to sink: LineSink) -> Bool {
        guard isFramed(body) else { return false }
        var rest = body.bytes
        var number = 0
        while !rest.isEmpty, !sink.isOver {
            number += 1
            guard let frame = Frame(rest) else {
                sink.add("message \(number) (cut)")
                return true
            }
            rest = frame.rest
            let size = "\(frame.bytes.count) byte" + (frame.bytes.count == 1 ? "" : "s")
            let note = (frame.isCompressed ? ", compressed" : "") + (frame.isCut ? " of \(frame.length), cut" : "")
            sink.add("\(frame.isTrailers ? "trailers" : "message \(number)"), \(size)\(note)")
            sink.indented { render(frame, to: sink) }
        }
        return true
    }

    private static func render(_ frame: Frame, to sink: LineSink) {
        if frame.isTrailers, !frame.isCompressed {
            let type = Array("text/plain".utf8)
            BodyText.render(Content(frame.bytes, contentType: type, isCut: frame.isCut), depth: 0, to: sink)
        } else if frame.isCompressed || !ProtobufText.render(frame.bytes, isCut: frame.isCut, to: sink) {
            HexDump.render(frame.bytes, to: sink)
        }
    }

    /// From the first frame to the last.
    private static func isFramed(_ body: Content) -> Bool {
        var rest = body.bytes
        while let frame = Frame(rest) {
            if frame.isCut { return body.isCut }
            rest = frame.rest
        }
        return rest.isEmpty || body.isCut && rest.count < 5
    }

    private struct Frame {
        let isCompressed: Bool
        /// Of gRPC-Web, in place of HTTP's.
        let isTrailers: Bool
        let length: Int
        let bytes: ArraySlice<UInt8>
        let rest: ArraySlice<UInt8>

        var isCut: Bool { bytes.count < length }

        init?(_ body: ArraySlice<UInt8>) {
            guard body.count >= 5, let flag = body.first, flag & 0x7E == 0 else { return nil }
            let head = body.prefix(5).dropFirst()
            length = head.reduce(0) { $0 << 8 | Int($1) }
            isCompressed = flag & 1 != 0
            isTrailers = flag & 0x80 != 0
            bytes = body.dropFirst(5).prefix(length)
            rest = body.dropFirst(5).dropFirst(length)
        }
    }
}
