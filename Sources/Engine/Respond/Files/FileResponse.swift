import Bytes
import HTTP
import Platform
import Profiles
import Reactor
import Rewriting

/// The head of a response with a file, and which bytes of the file its body is made of.
struct FileResponse {
    enum Part {
        case bytes([UInt8])
        case file(Range<UInt64>)
    }

    let status: Int
    /// Field lines with their line ends; without Content-Length and Connection.
    let fields: [UInt8]
    let parts: [Part]
    /// Of the body; nil where the status has none.
    let length: UInt64?
}

extension FilesResponder {
    /// What a request for a file gets, by its conditions and ranges (RFC 9110 13 and 14).
    @inline(never)
    func response(with found: FoundFile, to exchange: ClientExchange) -> FileResponse {
        let (state, bytes) = (found.file.state, exchange.headBytes)
        let modified = state.modified.dividedFloor(by: 1_000_000_000)
        let own = Validators(entityTag: Self.entityTag(of: state), lastModified: modified)
        let validators = cache?.marked(own) ?? own
        var fields: [UInt8] = []
        fields.reserveCapacity(384)
        appendFields(of: found, validators.entityTag, modified, to: &fields)
        let head = exchange.request.head
        switch validators.evaluate(head, bytes) {
        case .notModified: return FileResponse(status: 304, fields: fields, parts: [], length: nil)
        case .failed: return FileResponse(status: 412, fields: fields, parts: [], length: 0)
        case .proceed: break
        }
        // Range is defined for GET alone (RFC 9110 14.2).
        if head.method == .get, let range = head.field(.range), validators.allowsRange(head, bytes) {
            switch ByteRanges.parse(bytes.extracting(range.value), length: state.size) {
            case .whole: break
            case .unsatisfiable:
                fields += "Content-Range: bytes */\(state.size)\r\n".utf8
                return FileResponse(status: 416, fields: fields, parts: [], length: 0)
            case .ranges(let ranges):
                if ranges.count == 1, let range = ranges.first {
                    fields += Self.contentRange(range, of: state.size).utf8
                    Self.appendType(found.type, to: &fields)
                    return FileResponse(
                        status: 206, fields: fields, parts: [.file(range)], length: UInt64(range.count))
                }
                return multipart(ranges, found, fields)
            }
        }
        Self.appendType(found.type, to: &fields)
        return FileResponse(status: 200, fields: fields, parts: [.file(0..<state.size)], length: state.size)
    }

    /// Strong: inode, size and time in nanoseconds, of which a change of the content changes at least one.
    private static func entityTag(of state: OpenFile.State) -> [UInt8] {
        var tag: [UInt8] = [UInt8(ascii: "\"")]
        tag.reserveCapacity(52)
        appendHex(state.inode, to: &tag)
        tag.append(UInt8(ascii: "-"))
        appendHex(state.size, to: &tag)
        tag.append(UInt8(ascii: "-"))
        appendHex(UInt64(bitPattern: state.modified), to: &tag)
        tag.append(UInt8(ascii: "\""))
        return tag
    }

    private static func appendHex(_ number: UInt64, to out: inout [UInt8]) {
        var shift = max(60 - (number.leadingZeroBitCount / 4) * 4, 0)
        while shift >= 0 {
            let digit = UInt8(truncatingIfNeeded: number >> UInt64(shift)) & 15
            out.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
            shift -= 4
        }
    }

    private func appendFields(of found: FoundFile, _ tag: [UInt8], _ modified: Int64, to fields: inout [UInt8]) {
        fields += "Date: ".utf8
        HTTPDate.append(wallClock() / 1_000_000, to: &fields)
        fields += "\r\nLast-Modified: ".utf8
        HTTPDate.append(modified, to: &fields)
        fields += "\r\nETag: ".utf8
        fields += tag
        fields += "\r\nCache-Control: ".utf8
        fields += cacheControl(for: found.name)
        fields += "\r\nAccept-Ranges: bytes\r\n".utf8
        if found.type.isCompressible { fields += "Vary: Accept-Encoding\r\n".utf8 }
        if let coding = found.coding { fields += "Content-Encoding: \(coding.name)\r\n".utf8 }
    }

    /// What is not validated cannot be told apart from another environment's, and a page that is reloaded would use it.
    private func cacheControl(for name: [UInt8]) -> [UInt8] {
        let value = settings.cacheControl.value(for: name)
        switch cache?.mode ?? (watch == nil ? nil : .apart) {
        case nil: return value
        case .never: return Self.noStore
        case .apart: return value.elementsEqual(Self.noStore) ? value : Self.noCache
        }
    }

    private static let noStore = Array("no-store".utf8)
    private static let noCache = Array("no-cache".utf8)

    private static func appendType(_ type: MediaTypes.Entry, to fields: inout [UInt8]) {
        fields += "Content-Type: ".utf8
        fields += type.text
        fields += "\r\n".utf8
    }

    static func contentRange(_ range: Range<UInt64>, of size: UInt64) -> String {
        "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)\r\n"
    }

    /// RFC 9110 14.6.
    private func multipart(_ ranges: [Range<UInt64>], _ found: FoundFile, _ fields: [UInt8]) -> FileResponse {
        let boundary = String(UInt64.random(in: .min ... .max), radix: 16)
        var (parts, length): ([FileResponse.Part], UInt64) = ([], 0)
        func add(_ text: [UInt8]) {
            parts.append(.bytes(text))
            length += UInt64(text.count)
        }
        for (at, range) in ranges.enumerated() {
            var head = Array("\(at == 0 ? "" : "\r\n")--\(boundary)\r\n".utf8)
            Self.appendType(found.type, to: &head)
            add(head + Self.contentRange(range, of: found.file.state.size).utf8 + "\r\n".utf8)
            parts.append(.file(range))
            length += UInt64(range.count)
        }
        add(Array("\r\n--\(boundary)--\r\n".utf8))
        return FileResponse(
            status: 206, fields: fields + "Content-Type: multipart/byteranges; boundary=\(boundary)\r\n".utf8,
            parts: parts, length: length)
    }
}
