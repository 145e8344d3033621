/// A content coding that can be undone and done again (RFC 9110 8.4.1, RFC 7932, RFC 8878).
enum ContentCoding: String, Sendable, CaseIterable {
    case gzip
    case deflate
    case brotli = "br"
    case zstd

    /// More than one is rare, more than these are an attack on the receiver's memory.
    private static let limit = 3

    /// The codings of a Content-Encoding value in the order in which they were applied, without `identity`.
    ///
    /// nil if one of them is unknown, or there are too many.
    static func list(_ value: Span<UInt8>) -> [ContentCoding]? {
        var codings: [ContentCoding] = []
        var members = ListMembers()
        while let member = members.next(value) {
            if member.isEmpty || isIdentity(value, member) { continue }
            guard codings.count < limit, let coding = ContentCoding(value, member) else { return nil }
            codings.append(coding)
        }
        return codings
    }

    /// The coding of that name, ignoring case.
    init?(_ value: Span<UInt8>, _ range: Range<Int>) {
        if value.isText("gzip", in: range) || value.isText("x-gzip", in: range) {
            self = .gzip
        } else if value.isText("deflate", in: range) {
            self = .deflate
        } else if value.isText("br", in: range) {
            self = .brotli
        } else if value.isText("zstd", in: range) {
            self = .zstd
        } else {
            return nil
        }
    }

    static func isIdentity(_ value: Span<UInt8>, _ range: Range<Int>) -> Bool {
        value.isText("identity", in: range)
    }

    /// nil for lack of memory.
    func makeDecoder() -> (any BodyStage)? {
        switch self {
        case .gzip: GzipDecoder()
        case .deflate: DeflateDecoder()
        case .brotli: BrotliDecoder()
        case .zstd: ZstdDecoder()
        }
    }

    /// nil for lack of memory.
    func makeEncoder() -> (any BodyStage)? {
        switch self {
        case .gzip: ZlibEncoder(.gzip)
        case .deflate: ZlibEncoder(.deflate)
        case .brotli: BrotliEncoder()
        case .zstd: ZstdEncoder()
        }
    }
}
