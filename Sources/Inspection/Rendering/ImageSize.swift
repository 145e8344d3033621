/// Type and size from the first bytes of a picture: PNG, JPEG, GIF or WebP.
struct ImageSize {
    let format: String
    let width: Int
    let height: Int

    private init(_ format: String, _ width: Int, _ height: Int) {
        (self.format, self.width, self.height) = (format, width, height)
    }

    init?(_ body: ArraySlice<UInt8>) {
        // Headers of JPEG may carry thumbnails and colour profiles.
        let reader = Reader(Array(body.prefix(1 << 20)))
        guard let size = Self.png(reader) ?? Self.gif(reader) ?? Self.webP(reader) ?? Self.jpeg(reader) else {
            return nil
        }
        self = size
    }

    private struct Reader {
        let bytes: [UInt8]
        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func has(_ text: String, at place: Int) -> Bool {
            bytes.count >= place + text.utf8.count && bytes[place...].starts(with: text.utf8)
        }

        func byte(_ place: Int) -> Int? { place < bytes.count ? Int(bytes[place]) : nil }

        func big(_ place: Int, _ count: Int) -> Int? {
            guard place + count <= bytes.count else { return nil }
            return bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
        }

        func little(_ place: Int, _ count: Int) -> Int? {
            guard place + count <= bytes.count else { return nil }
            return bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
    }

    private static func png(_ reader: Reader) -> ImageSize? {
        guard reader.bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), reader.has("IHDR", at: 12),
            let width = reader.big(16, 4), let height = reader.big(20, 4)
        else { return nil }
        return ImageSize("PNG", width, height)
    }

    private static func gif(_ reader: Reader) -> ImageSize? {
        guard reader.has("GIF8", at: 0), let width = reader.little(6, 2), let height = reader.little(8, 2) else {
            return nil
        }
        return ImageSize("GIF", width, height)
    }

    /// RFC 9649.
    private static func webP(_ reader: Reader) -> ImageSize? {
        guard reader.has("RIFF", at: 0), reader.has("WEBP", at: 8) else { return nil }
        if reader.has("VP8X", at: 12), let width = reader.little(24, 3), let height = reader.little(27, 3) {
            return ImageSize("WebP", width + 1, height + 1)
        }
        if reader.has("VP8L", at: 12), reader.byte(20) == 0x2F, let bits = reader.little(21, 4) {
            return ImageSize("WebP", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        }
        if reader.has("VP8 ", at: 12), let width = reader.little(26, 2), let height = reader.little(28, 2) {
            return ImageSize("WebP", width & 0x3FFF, height & 0x3FFF)
        }
        return nil
    }

    /// The size stands in the start of the frame, behind segments of any length.
    private static func jpeg(_ reader: Reader) -> ImageSize? {
        guard reader.bytes.starts(with: [0xFF, 0xD8, 0xFF]) else { return nil }
        var at = 2
        while reader.byte(at) == 0xFF, let marker = reader.byte(at + 1) {
            if marker == 0xFF {
                at += 1
                continue
            }
            guard let length = reader.big(at + 2, 2), length >= 2 else { return nil }
            // C4, C8 and CC are tables among the frames.
            if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
                guard let height = reader.big(at + 5, 2), let width = reader.big(at + 7, 2) else { return nil }
                return ImageSize("JPEG", width, height)
            }
            at += 2 + length
        }
        return nil
    }
}
