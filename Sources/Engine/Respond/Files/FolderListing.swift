import Bytes
import Profiles
import Reactor

/// The page that lists a folder.
struct FolderListing {
    /// Entries that are listed.
    private static let maxEntries = 10_000

    private let file: OpenFile
    private let path: FilePath

    init(_ file: OpenFile, _ path: FilePath) {
        self.file = file
        self.path = path
    }

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
        return LocalResponse(status: 200, fields: Array(fields.utf8), body: Array(page.utf8))
    }

    /// A name as a path segment of a URL: all but unreserved bytes are encoded.
    private static func reference(_ name: String) -> String {
        var text: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "/"):
                text.append(byte)
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += "%\(digits.count == 1 ? "0" : "")\(digits)".utf8
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
