import Bytes
import Redaction

/// Bytes with what is said of them.
struct Content {
    enum Kind {
        case json
        case jsonLines
        case form
        case multipart
        case protobuf
        case grpc
        case text
        /// Pictures, sound and the like, which are not shown.
        case media
        case unknown
    }

    let bytes: ArraySlice<UInt8>
    let contentType: [UInt8]
    /// The media type in small letters, without parameters.
    let essence: String
    /// More came than these bytes.
    let isCut: Bool

    init(_ bytes: ArraySlice<UInt8>, contentType: [UInt8], isCut: Bool) {
        (self.bytes, self.contentType, self.isCut) = (bytes, contentType, isCut)
        let end = contentType.firstIndex(of: UInt8(ascii: ";")) ?? contentType.count
        let letters = contentType[..<end].filter { $0 > 0x20 }.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
        essence = String(decoding: letters, as: UTF8.self)
    }

    var kind: Kind {
        if let kind = Self.kinds[essence] { return kind }
        for (beginning, kind) in Self.beginnings where essence.hasPrefix(beginning) { return kind }
        for (ending, kind) in Self.endings where essence.hasSuffix(ending) { return kind }
        return .unknown
    }

    private static let kinds: [String: Kind] = [
        "application/json": .json, "text/json": .json, "application/x-www-form-urlencoded": .form,
        "application/x-ndjson": .jsonLines, "application/ndjson": .jsonLines, "application/jsonl": .jsonLines,
        "application/x-jsonlines": .jsonLines, "application/json-seq": .jsonLines, "application/jsonlines": .jsonLines,
        "application/protobuf": .protobuf, "application/x-protobuf": .protobuf,
        "application/vnd.google.protobuf": .protobuf, "application/x-google-protobuf": .protobuf,
        "application/javascript": .text, "application/x-javascript": .text, "application/graphql": .text,
        "application/xml": .text, "image/svg+xml": .text, "application/yaml": .text, "application/x-yaml": .text,
        "application/toml": .text,
        "application/pdf": .media, "application/zip": .media, "application/gzip": .media, "application/wasm": .media,
    ]

    private static let endings: [(String, Kind)] = [
        ("+json-seq", .jsonLines), ("+json", .json), ("+xml", .text), ("+yaml", .text), ("+protobuf", .protobuf),
        ("+proto", .protobuf), ("+zip", .media),
    ]

    private static let beginnings: [(String, Kind)] = [
        // Other languages than protobuf's.
        ("application/grpc+json", .unknown), ("application/grpc", .grpc),
        ("multipart/", .multipart), ("text/", .text), ("image/", .media), ("audio/", .media), ("video/", .media),
        ("font/", .media),
    ]

    /// UTF-8 without control characters.
    var isPlain: Bool { PlainText.isPlain(bytes, isCut: isCut) }

    /// For a body that says it is text: control characters are replaced, and only zeros speak against it.
    var isLegible: Bool { !bytes.contains(0) }

    var isLatin1: Bool {
        let charset = MediaType.parameters(of: contentType).first { $0.name == "charset" }?.value ?? []
        let name = String(decoding: charset, as: UTF8.self).lowercased()
        return ["iso-8859-1", "latin1", "windows-1252"].contains(name)
    }
}
