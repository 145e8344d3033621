import Bytes
import HTTP
import Profiles
import Reactor

/// An existing file.
struct FoundFile: Sendable {
    let file: OpenFile
    /// Its path within the folder, without the ending of a coding.
    let name: [UInt8]
    let coding: ContentCodings.Coding?
    let type: MediaTypes.Entry
}

extension FilesResponder {
    enum Lookup {
        case file(FoundFile)
        case listing(OpenFile, FilePath)
        /// A redirect.
        case other(LocalResponse)
        case missing
    }

    /// What the request's path leads to.
    @inline(never)
    func lookUp(_ exchange: ClientExchange) -> Lookup {
        let bytes = exchange.headBytes
        guard let path = FilePath(bytes.extracting(exchange.request.head.path), of: route) else { return .missing }
        if path.isFolder {
            for index in settings.index {
                let name = path.bytes + (path.bytes.isEmpty ? "" : "/").utf8 + index.utf8
                if let file = folder.open(name), !file.isFolder { return found(file, name, exchange) }
            }
            if settings.listing, let file = folder.open(path.bytes), file.isFolder {
                return .listing(file, path)
            }
        } else if let file = folder.open(path.bytes) {
            guard file.isFolder else { return found(file, path.bytes, exchange) }
            if hasPage(path.bytes) { return .other(addSlash(exchange)) }
        }
        guard let spa = settings.spa, showsPage(exchange, path), let file = folder.open(Array(spa.utf8)), !file.isFolder
        else { return .missing }
        return found(file, Array(spa.utf8), exchange)
    }

    /// Whether there is anything to see of a folder.
    private func hasPage(_ folder: [UInt8]) -> Bool {
        settings.listing
            || settings.index.contains { index in
                self.folder.open(folder + (folder.isEmpty ? "" : "/").utf8 + index.utf8).map { !$0.isFolder } ?? false
            }
    }

    /// Browsers resolve a page's links against the folder only where its URL ends in a slash.
    private func addSlash(_ exchange: ClientExchange) -> LocalResponse {
        let (head, bytes) = (exchange.request.head, exchange.headBytes)
        var location = String(bytes.extracting(head.path)) + "/"
        if !head.query.isEmpty { location += "?" + String(bytes.extracting(head.query)) }
        return LocalResponse(301, "Location: \(location)\r\nCache-Control: no-cache\r\n")
    }

    /// Whether a path that names no file may be a page of a client-side router.
    ///
    /// A browser asks for HTML, or the client takes anything and the path has no extension. Beside an origin only the
    /// first counts.
    private func showsPage(_ exchange: ClientExchange, _ path: FilePath) -> Bool {
        let head = exchange.request.head
        guard let accept = head.field(.accept) else { return rest == nil && !path.hasExtension }
        let value = exchange.request.text(accept.value).lowercased()
        if value.contains("text/html") { return true }
        return rest == nil && !path.hasExtension && value.contains("*/*")
    }

    private func found(_ file: OpenFile, _ name: [UInt8], _ exchange: ClientExchange) -> Lookup {
        let type = MediaTypes.entry(forFile: file.isRoot ? Array(settings.place.utf8) : name)
        if type.isCompressible, !file.isRoot, !changesPages || !type.isHTML,
            exchange.request.head.names.contains(.acceptEncoding)
        {
            for coding in ContentCodings(exchange.request.head, exchange.headBytes).accepted {
                // One that is older is that of a file that has changed since.
                if let copy = folder.open(name + coding.endingBytes), !copy.isFolder,
                    copy.state.modified >= file.state.modified
                {
                    return .file(FoundFile(file: copy, name: name, coding: coding, type: type))
                }
            }
        }
        return .file(FoundFile(file: file, name: name, coding: nil, type: type))
    }
}

extension ContentCodings.Coding {
    fileprivate var endingBytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: ending.utf8Start, count: ending.utf8CodeUnitCount)
    }
}

extension FilePath {
    fileprivate var hasExtension: Bool {
        let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        return bytes[start...].contains(UInt8(ascii: "."))
    }
}
