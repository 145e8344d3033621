import Bytes
import HTTP
import JSON
import Profiles

/// A mock's collection, made ready to respond.
final class PreparedCollection: Sendable {
    private enum Beginning {
        case items(CollectionItems)
        case file(MockFileReading<CollectionItems>)
    }

    /// Whose items they are.
    struct Owner {
        let route: MockKey?
        let profile: String
        let mocks: Mocks
    }

    private let beginning: Beginning
    private let fingerprint: String
    private let depth: Int
    private let route: MockKey?
    private let profile: String
    private let mocks: Mocks

    init(_ collection: MockCollection, _ owner: Owner) {
        (fingerprint, depth) = (collection.fingerprint, collection.depth)
        (route, profile, mocks) = (owner.route, owner.profile, owner.mocks)
        switch collection.source {
        case .items(let items): beginning = .items(items)
        case .file(let file):
            beginning = .file(
                MockFileReading(file) { (bytes) throws(MockFile.Failure) in
                    do throws(JSONFailure) { return try CollectionItems(reading: bytes) } catch {
                        throw MockFile.Failure(reason: "is no collection: \(error.position): \(error.message)")
                    }
                })
        }
    }

    private static let longestBody = 1 << 20

    /// - Parameter head: has the fields that every response of the mock has.
    func response(in exchange: ClientExchange, _ head: LocalResponse) async throws(EngineFailure) -> LocalResponse {
        var response = try await response(in: exchange)
        response.namesReaders = head.namesReaders
        // What was got may change with the next request.
        let names = String(decoding: head.fields, as: UTF8.self).lowercased()
        let isCacheable = !("\r\n" + names).contains("\r\ncache-control:")
        response.fields = head.fields + (isCacheable ? Array("Cache-Control: no-cache\r\n".utf8) : []) + response.fields
        return response
    }

    private func response(in exchange: ClientExchange) async throws(EngineFailure) -> LocalResponse {
        let view = RequestView(exchange.client, exchange.request, scenarios: nil)
        guard view.segment(depth + 1) ?? "" == "" else {
            return CollectionRequest.problem(CollectionRefusal(404, "there is nothing below an item of the collection"))
        }
        let items: CollectionItems
        switch beginning {
        case .items(let own): items = own
        case .file(let file): items = try await file.content(for: exchange)
        }
        try await exchange.body.buffer(max: Self.longestBody, exchange.recording)
        if exchange.request.head.framing != .none, !exchange.body.isBuffered {
            return CollectionRequest.problem(
                CollectionRefusal(413, "the body of a request to a collection may have \(Self.longestBody >> 20) MiB"))
        }
        let request = request(view, exchange.body.buffered?.bytes ?? [])
        let kept = (exchange.request.session?.session.mocks ?? mocks).collection(of: route, in: profile)
        let fingerprint = fingerprint
        // Each of its changes goes through all items.
        let size = kept.items(since: items, fingerprint).size + request.body.count
        return try await exchange.body.perform(size: size) { request.response(kept, since: items, fingerprint) }
    }

    private func request(_ view: RequestView, _ body: [UInt8]) -> CollectionRequest {
        let id = view.segment(depth) ?? ""
        var path = view.path[...]
        if path.hasSuffix("/") { path.removeLast() }
        if !id.isEmpty, let slash = path.lastIndex(of: "/") { path = path[..<slash] }
        let type = view.fields("content-type").first?.prefix { $0 != ";" && $0 != " " && $0 != "\t" } ?? ""
        return CollectionRequest(
            method: view.method, id: id.isEmpty ? nil : id, url: view.base + path, query: view.queryBytes, body: body,
            contentType: type.lowercased(), ifMatch: view.fields("if-match").map { Array($0.utf8) },
            ifNoneMatch: view.fields("if-none-match").map { Array($0.utf8) }, profile: profile)
    }
}
