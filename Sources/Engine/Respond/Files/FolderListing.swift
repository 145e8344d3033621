import Bytes
import Profiles
import Reactor

/// The page that lists a folder.
struct FolderListing {
    /// Entries that are listed.
    private static let maxEntries = 10_000

    let file: OpenFile
    let path: FilePath

    var response: LocalResponse {
        let title = "/" + String(decoding: path.bytes, as: UTF8.self)
        var rows = path.bytes.isEmpty ? "" : "<li><a href=\"../\">../</a>\n"
        let names = file.entries(limit: Self.maxEntries + 1)
        for name in names.prefix(Self.maxEntries) {
            rows += "<li><a href=\"./\(Self.reference(name))\">\(HTMLText.escaped(name))</a>\n"
        }
        if names.count > Self.maxEntries {
            rows += "<li>The folder has more entries than the \(Self.maxEntries) listed\n"
        }
        let page = PageStyle.page(title: title, "<h1>\(HTMLText.escaped(title))</h1><ul>\n\(rows)</ul>")
        let fields = "Content-Type: text/html; charset=utf-8\r\nCache-Control: no-cache\r\n"
        return LocalResponse(200, fields, page)
    }

    /// A name as a path segment of a URL: all but unreserved bytes are encoded.
    private static func reference(_ name: String) -> String {
        var text: [UInt8] = []
        for byte in name.utf8 {
            if ByteSearch.isAlphanumeric(byte) || "-._~/".utf8.contains(byte) {
                text.append(byte)
            } else {
                text += "%\(Hex.text([byte]).uppercased())".utf8
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
