import Bytes
import CZlib
import TLS

/// The inspector's files, as they lie in `Web`: embedded by the build, compressed once, named by their contents.
package struct InspectorAssets: Sendable {
    struct Asset: Sendable {
        let type: String
        let bytes: [UInt8]
        /// In zlib's format, which HTTP calls deflate (RFC 9110, 8.4.1.2).
        let deflated: [UInt8]
    }

    static let shared = InspectorAssets(embedded)

    private let assets: [String: Asset]
    /// A digest of all of them: a folder of that name never changes.
    let version: String
    /// `<link rel="modulepreload">` of each module, so that a browser need not find them one after the other.
    private let preloads: String

    init(_ files: [(name: String, bytes: [UInt8])]) {
        var all: [UInt8] = []
        var assets: [String: Asset] = [:]
        for (name, bytes) in files {
            all += Array("\(name)\0\(bytes.count)\0".utf8) + bytes
            assets[name] = Asset(type: Self.type(of: name), bytes: bytes, deflated: Self.deflated(bytes))
        }
        self.assets = assets
        version = String(Hex.text(sha256(all.span) ?? []).prefix(16))
        let folder = "/inspector/\(version)/"
        preloads = files.map(\.name).filter { $0.hasSuffix(".js") && !$0.hasSuffix("worker.js") && $0 != "login.js" }
            .map { "<link rel=\"modulepreload\" href=\"\(folder)\($0)\">" }.joined(separator: "\n")
    }

    /// A page with the names of the present files in it.
    func page(_ name: String) -> [UInt8] {
        var text = String(decoding: assets[name]?.bytes ?? [], as: UTF8.self)
        text.replace("BASE/", with: "/inspector/\(version)/")
        text.replace("<!-- PRELOADS -->", with: preloads)
        return Array(text.utf8)
    }

    /// The asset that a path such as `/inspector/VERSION/main.js` names.
    func asset(_ path: some StringProtocol) -> Asset? {
        let folder = "/inspector/\(version)/"
        guard path.hasPrefix(folder) else { return nil }
        let name = String(path.dropFirst(folder.count))
        return name.hasSuffix(".html") ? nil : assets[name]
    }

    private static func type(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "text/html; charset=utf-8"
        }
    }

    package static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        var count = compressBound(uLong(bytes.count))
        var room = [UInt8](repeating: 0, count: Int(count))
        guard compress2(&room, &count, bytes, uLong(bytes.count), Z_BEST_COMPRESSION) == Z_OK else { return bytes }
        return Array(room.prefix(Int(count)))
    }
}
