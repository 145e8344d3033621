import Bytes
import HTTP
import Reactor
import Rewriting

extension FilesResponder {
    private static let query = Array("shunt-reload".utf8)
    /// It asks at the page's own path, which is one of the route's.
    private static let script = Array(
        """
        <script>new EventSource(location.pathname + "?shunt-reload").addEventListener("reload", () => location.reload())\
        </script>

        """.utf8)
    /// A page or file that is longer is sent as it is.
    private static let maxPage: UInt64 = 8 << 20

    /// A browser that shows a page listens for changes.
    func asksForReloads(_ exchange: ClientExchange) -> Bool {
        let query = exchange.headBytes.extracting(exchange.request.head.query)
        return query.withUnsafeBufferPointer { Self.query.elementsEqual($0) }
    }

    func sendReloads(of watch: ReloadWatch, in exchange: ClientExchange) async throws(EngineFailure) {
        guard let stream = watch.listen() else {
            throw EngineFailure(.proxy, .route, status: 503, "too many browsers wait for changes of these files")
        }
        exchange.ignore()
        // A body that was not read would be taken for the next request.
        if exchange.request.head.framing != .none { exchange.client.mustClose = true }
        exchange.isHandled = true
        defer { exchange.isHandled = false }
        let fields = [(name: "Content-Type", value: "text/event-stream"), (name: "Cache-Control", value: "no-store")]
        await StreamedResponse(
            exchange: exchange, handled: HandledResponse(status: 200, fields: fields, stream: stream), stream: stream
        ).send()
    }

    /// Pages are not sent as they lie on the disk.
    var changesPages: Bool { watch != nil || injects }

    /// It is an HTML page that is not sent as it is, or a file whose content is edited.
    func isChanged(_ found: FoundFile) -> Bool {
        guard found.coding == nil, found.file.state.size <= Self.maxPage else { return false }
        return changesPages && found.type.isHTML || edits?.use(for: found.type.text.span) != nil
    }

    /// The page with the script that listens for changes, or a file for the route's changes.
    static func changedPage(_ found: FoundFile, watches: Bool) -> LocalResponse {
        let size = Int(found.file.state.size)
        let page = [UInt8](unsafeUninitializedCapacity: size) { room, count in
            count = found.file.read(into: UnsafeMutableRawBufferPointer(room), from: 0)
        }
        // Without validators: those of the file say nothing of what is put in.
        let fields = Array("Content-Type: ".utf8) + found.type.text + "\r\nCache-Control: no-store\r\n".utf8
        guard watches, found.type.isHTML else { return LocalResponse(status: 200, fields: fields, body: page) }
        let end = end(of: page)
        return LocalResponse(status: 200, fields: fields, body: page[..<end] + script + page[end...])
    }

    /// Where the last `</body` begins, in any case, or the page ends.
    private static func end(of page: [UInt8]) -> Int {
        let tag = Array("</body".utf8)
        guard page.count >= tag.count else { return page.count }
        for start in stride(from: page.count - tag.count, through: 0, by: -1) where page[start] == tag[0] {
            if (1..<tag.count).allSatisfy({ page[start + $0] | 0x20 == tag[$0] | 0x20 }) { return start }
        }
        return page.count
    }
}
