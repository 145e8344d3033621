/// Which media type a file has, by its name.
public enum MediaTypes {
    public struct Entry: Sendable {
        /// With its charset, as Content-Type has it.
        public let text: [UInt8]
        /// Smaller when compressed, so that a compressed copy may lie beside it.
        public let isCompressible: Bool

        public var isHTML: Bool { text.starts(with: "text/html".utf8) }
    }

    private static let unknown = Entry(text: Array("application/octet-stream".utf8), isCompressible: true)
    /// Apple asks for it without an extension.
    private static let siteAssociation = Array("apple-app-site-association".utf8)
    /// Names that are read by people.
    private static let plainNames = ["LICENSE", "README", "CHANGELOG", "NOTICE", "Makefile", "Dockerfile"]

    /// Read from the table at the first use.
    private static let entries: [[UInt8]: Entry] = {
        var entries: [[UInt8]: Entry] = [:]
        let bytes = UnsafeBufferPointer(start: Self.table.utf8Start, count: Self.table.utf8CodeUnitCount)
        for group in bytes.split(whereSeparator: { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "\n") }) {
            let words = group.split(separator: UInt8(ascii: " "))
            guard let type = words.first else { continue }
            let entry = entry(Array(type))
            for word in words.dropFirst() { entries[Array(word)] = entry }
        }
        let plain = entry(Array("text/plain".utf8))
        for name in plainNames { entries[Array(name.utf8)] = plain }
        entries[siteAssociation] = entry(Array("application/json".utf8))
        return entries
    }()

    /// The type of a file.
    /// - Parameter name: of the file alone, or its path.
    public static func entry(forFile name: [UInt8]) -> Entry {
        let start = name.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        guard let dot = name[start...].lastIndex(of: UInt8(ascii: ".")) else {
            return entries[Array(name[start...])] ?? unknown
        }
        var suffix = Array(name[(dot + 1)...])
        for at in suffix.indices where suffix[at] >= 0x41 && suffix[at] <= 0x5A { suffix[at] |= 0x20 }
        return entries[suffix] ?? unknown
    }

    /// The same as text: `text/html; charset=utf-8`.
    public static func type(ofFile name: String) -> String {
        String(decoding: entry(forFile: Array(name.utf8)).text, as: UTF8.self)
    }

    private static func entry(_ type: [UInt8]) -> Entry {
        let text = String(decoding: type, as: UTF8.self)
        let isText = text.hasPrefix("text/")
        let words = ["json", "xml", "javascript", "wasm", "yaml", "toml", "graphql", "rtf", "octet-stream", "plist"]
        let isCompressible =
            isText || words.contains { text.hasSuffix($0) }
            || ["font/ttf", "font/otf", "image/bmp", "image/x-icon", "application/vnd.ms-fontobject"].contains(text)
        return Entry(text: isText ? type + "; charset=utf-8".utf8 : type, isCompressible: isCompressible)
    }
}
