public import Engine
import Synchronization

/// Responds under `/__shunt/` with a link to the pages.
///
/// It shares its origin with the pages behind Shunt, whose scripts can send it any request and read its responses. So
/// it changes nothing and reveals only the port.
public final class PageSignpost: Handler {
    private let port = Mutex<UInt16?>(nil)

    public init() {}

    /// The port of the pages is known only once their listener is there.
    public func pagesListen(on port: UInt16) { self.port.withLock { $0 = port } }

    public func response(_ request: HandledRequest) async -> HandledResponse {
        do throws(PageRefusal) {
            try PageGate.admitClient(request)
            guard let port = port.withLock({ $0 }) else { throw PageRefusal(503, "Shunt is starting.") }
            let host = request.host
            // It becomes part of a URL, so it may only be a name or an address.
            guard !host.isEmpty, host.utf8.allSatisfy(Self.isOfHost) else {
                throw PageRefusal(404, "Shunt's own pages are at port \(port) of this host.")
            }
            let pages = "\(request.isSecure ? "https" : "http")://\(host):\(port)"
            guard request.method == "GET" || request.method == "HEAD" else {
                throw PageRefusal(405, "Shunt's own pages are at \(pages)/.", fields: [("Allow", "GET, HEAD")])
            }
            let rest = request.target.dropFirst("/__shunt".count)
            return Self.text(
                303, "Shunt's own pages are at \(pages)/.",
                [("Location", pages + (rest.hasPrefix("/") ? "" : "/") + rest)])
        } catch {
            return Self.text(error.status, error.message, error.fields)
        }
    }

    static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default: false
        }
    }

    private static func text(_ status: Int, _ message: String, _ fields: [(name: String, value: String)])
        -> HandledResponse
    {
        let common = [
            (name: "Content-Type", value: "text/plain; charset=utf-8"), (name: "Cache-Control", value: "no-store"),
            (name: "X-Content-Type-Options", value: "nosniff"),
        ]
        return HandledResponse(status: status, fields: common + fields, body: Array((message + "\n").utf8))
    }
}
