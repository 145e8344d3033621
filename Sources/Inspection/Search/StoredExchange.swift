import Exchanges
import Filter
import Store

/// An exchange of a store as filters see it: its row, heads and bodies are read only when they are asked for.
///
/// Only within ``TrafficReader/atOnce(_:)``.
final class StoredExchange: FilterSubject {
    let id: Int64
    private let reader: TrafficReader
    /// Why something could not be read; what was found up to there counts for nothing.
    private(set) var failure: StoreFailure?
    /// Of heads, bodies and messages.
    private(set) var shownBytes = 0

    /// Messages that are held at once, which may be as long as bodies.
    private static let messages = 8

    init(_ id: Int64, _ reader: TrafficReader) { (self.id, self.reader) = (id, reader) }

    convenience init(_ summary: TrafficSummary, _ reader: TrafficReader) {
        self.init(summary.id, reader)
        self.summary = summary
    }

    private(set) lazy var summary: TrafficSummary? = reading { () throws(StoreFailure) in
        try reader.summary(of: id)
    }
    private lazy var client = {
        let address = Array((exchange?.client.address ?? "").utf8)
        let (host, port) = AddressText.split(address, 0..<address.count)
        return (host: host.map { String(decoding: address[$0], as: UTF8.self) } ?? "", port: port)
    }()

    private var exchange: Exchange? { summary?.exchange }
    var startedAt: Int64 { exchange?.startedAt ?? 0 }
    var duration: Int64? { summary?.isEnded == true ? exchange.map { Int64(clamping: $0.timings.total) } : nil }
    var clientAddress: String { client.host }
    var clientPort: Int { Int(clamping: client.port ?? 0) }
    var app: String? { exchange?.client.app }
    var session: String? { exchange?.session }
    var operation: String? { exchange?.operation }
    var graphQLErrors: Int? { exchange?.graphQLErrors }
    var grpcStatus: Int? { exchange?.grpcStatus }
    var method: String { exchange?.method ?? "" }
    var url: String { exchange?.url ?? "" }
    var host: String { summary?.host ?? "" }
    var status: Int? { exchange?.status }
    var requestType: String? { summary?.requestType }
    var responseType: String? { summary?.responseType }
    var profile: String? { exchange?.profile }
    var route: String? { exchange?.route }
    var responder: String? { exchange?.responder }
    var origin: String? { exchange?.origin?.url }
    var originAddress: String? { exchange?.origin?.address }
    var node: String? { summary?.node }
    var trust: String? { exchange?.origin?.trust }
    var changes: [String] { exchange?.rewritten ?? [] }
    var differsFromContract: Bool { exchange?.contract.isEmpty == false }
    var error: String? { exchange?.failure?.message }

    func heads(of side: FilterSide, visit: (UnsafeRawBufferPointer) -> Bool) {
        let heads = reading { () throws(StoreFailure) in
            try reader.heads(of: id, side == .request ? .request : .response)
        }
        let sections: [HeadsWriter.Section] =
            side == .request ? [.clientRequest, .originRequest] : [.originResponse, .clientResponse]
        for section in sections {
            guard let head = heads?[section] else { continue }
            guard show(head[...], visit) else { return }
        }
    }

    func body(of side: FilterSide, atOrigin: Bool, visit: (UnsafeRawBufferPointer) -> Bool) {
        let side = side == .request ? BodySide.request : .response
        reading { () throws(StoreFailure) in
            try reader.body(of: id, side, atOrigin ? .origin : .client, visit: { show($0, visit) })
        }
    }

    func messages(of side: FilterSide, visit: (UnsafeRawBufferPointer) -> Bool) {
        let sender: MessageFacts.Sender = side == .request ? .client : .origin
        reading { () throws(StoreFailure) in
            var last: Int64 = -1
            while true {
                let page = try reader.messages(of: id, after: last, limit: Self.messages)
                guard let end = page.last else { return }
                for message in page where message.facts.sender == sender {
                    guard show((message.bytes ?? [])[...], visit) else { return }
                }
                last = end.number
            }
        }
    }

    private func show(_ bytes: ArraySlice<UInt8>, _ visit: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        shownBytes += bytes.count
        return bytes.withUnsafeBytes(visit)
    }

    @discardableResult
    private func reading<Value>(_ body: () throws(StoreFailure) -> Value?) -> Value? {
        do throws(StoreFailure) { return try body() } catch { failure = failure ?? error }
        return nil
    }
}

extension TrafficSummary {
    /// In small letters, without port; nil if the URL has none.
    var host: String? {
        let url = Array(exchange.url.utf8)
        return URLParts(url, 0..<url.count).host.map { host in
            String(decoding: url[host].map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
        }
    }
}
