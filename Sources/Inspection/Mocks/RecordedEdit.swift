import Bytes
import Exchanges
public import JSON
public import Store

/// A route made of a recorded exchange, which edits a body of JSON on its way.
public struct RecordedEdit: Sendable {
    /// The exchange's number.
    public let id: Int64
    /// The one that it went through.
    public let profile: String?
    public let method: String
    public let host: String?
    public let path: String
    /// With its base path.
    public let origin: String
    private let side: BodySide
    private let edits: JSONEdits
    /// The edits change something in the recorded body.
    public let changesBody: Bool

    /// Why there is nothing to be edited, in words.
    public struct Obstacle: Error, Sendable {
        public let reason: String
    }

    /// - Parameter side: whose body is edited.
    public init(
        _ reader: TrafficReader, _ record: TrafficRecord, _ side: BodySide, _ edits: JSONEdits
    ) throws(Obstacle) {
        let exchange = record.summary.exchange
        guard let url = URLText(exchange.url) else { throw Obstacle(reason: "its URL has no host") }
        guard let origin = exchange.origin?.url else {
            throw Obstacle(reason: "Shunt itself responded, so that there is no origin whose responses could be edited")
        }
        let bytes: [UInt8]
        do throws(StoreFailure) {
            bytes = try reader.body(of: record, side, side == .request ? .client : .origin)
        } catch {
            throw Obstacle(reason: "its body cannot be read: \(error)")
        }
        let what = side == .request ? "request" : "response"
        guard !bytes.isEmpty else { throw Obstacle(reason: "no body of its \(what) was recorded") }
        do throws(JSONFailure) { changesBody = try JSONEdits.apply([edits], to: bytes) != nil } catch {
            throw Obstacle(reason: "the body of its \(what) is no JSON: \(error)")
        }
        (id, method, self.side, self.edits) = (record.summary.id, exchange.method, side, edits)
        profile = exchange.profile
        (host, path) = url.place
        self.origin = origin + Self.basePath(record, path)
    }

    /// What the origin's URL puts in front of paths, as far as the request tells.
    private static func basePath(_ record: TrafficRecord, _ path: String) -> String {
        guard let head = record.originRequest.map({ HeadText($0) }) else { return "" }
        let words = head.startLine.split(separator: " ")
        let target = head.value(of: ":path") ?? (words.count > 1 ? String(words[1]) : "")
        let sent = target.prefix { $0 != "?" }
        return sent.hasSuffix(path) ? String(sent.dropLast(path.count)) : ""
    }

    /// The route, as a profile has it.
    public func writeRoute(to writer: inout JSONWriter) {
        writer.object { route in
            route.member("method", method)
            if let host { route.member("host", host) }
            route.member("path", path.isEmpty ? "/" : path)
            route.member("origin", origin)
            route.object(side == .request ? "request" : "response") { message in
                message.object("json", edits.writeMembers)
            }
        }
    }
}
